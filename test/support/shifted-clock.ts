/** Preloaded into a process under test (`--import`): the clock of its machine is wrong by CLOCK_SHIFT_MS. */
const shiftMs = Number(process.env.CLOCK_SHIFT_MS);
const readClock = Date.now;
const shiftedNow = () => readClock() + shiftMs;

Date.now = shiftedNow;
globalThis.Date = new Proxy(Date, {
  construct: (target, values, newTarget) =>
    Reflect.construct(target, values.length === 0 ? [shiftedNow()] : values, newTarget),
});
