"""Health: log the wear of the sensors and how the controller is, once a shoe is closed."""

import gc
from struct import pack_into

from sabot import wire
from sabot.reading.wear import SENSORS


def log_wear(main):
    """Log what each sensor has measured during the shoe, and begin anew."""
    main.worn_no = main.shoe.state.closed_no
    for sensor in range(SENSORS):
        size = main.reader.pack_wear(main.journal.record, wire.RECORD_DATA, main.worn_no, sensor)
        main.shoe.log(main.sampler.now_ms, wire.EV_SENSOR, size)
    main.reader.reset_wear()


def log_health(main):
    """Log the heap, the longest turn of the loop, and the counters of line and sampler."""
    gc.collect()
    free, link = gc.mem_free(), main.link
    main.heap_least = min(main.heap_least, free)
    pack_into(
        wire.EVENT_HEALTH_FORMAT,
        main.journal.record,
        wire.RECORD_DATA,
        free,
        main.heap_least,
        main.round_most_us & 0x3FFFFFFF,
        link.crc_errors(),
        link.resends,
        link.refused,
        main.sampler.overruns & 0xFFFF,
    )
    main.shoe.log(main.sampler.now_ms, wire.EV_HEALTH, wire.EVENT_HEALTH_SIZE)
    main.round_most_us = 0
