// Simulated time. Alarms of the same time ring in the order in which they were set; rp2040js has it the other way.

import { SimulationClock } from "./emulator.mjs";

export class Clock extends SimulationClock {
  linkAlarm(nanos, alarm) {
    alarm.nanos = this.nanosCounter + nanos;
    let before = null;
    let after = this.nextAlarm;
    while (after && after.nanos <= alarm.nanos) {
      before = after;
      after = after.next;
    }
    alarm.next = after;
    if (before) before.next = alarm;
    else this.nextAlarm = alarm;
    alarm.scheduled = true;
    return alarm;
  }
}
