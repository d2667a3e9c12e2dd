// The classes of npm's rp2040js, from the folder that the first argument names.

import { Console } from "node:console";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

globalThis.console = new Console(process.stderr, process.stderr); // standard output carries answers only

const part = (name) => import(pathToFileURL(join(resolve(process.argv[2]), "dist", "esm", name)).href);

export const { RP2040 } = await part("rp2040.js");
export const { CortexM0Core } = await part("cortex-m0-core.js");
export const { SimulationClock } = await part("clock/simulation-clock.js");
export const { BasePeripheral } = await part("peripherals/peripheral.js");
export const { RPPIO, StateMachine } = await part("peripherals/pio.js");
export const { RPUART } = await part("peripherals/uart.js");
