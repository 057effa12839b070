export { cases } from './cases.ts';
export { appConformance, driverConformance } from './conformance/index.ts';
export type { AppConformance } from './conformance/app.ts';
export type { DriverConformance } from './conformance/driver-stand.ts';
export type { Peer, PeerOptions } from './conformance/peer.ts';
export type { TestPoint } from './bench.ts';
export { WireDevice } from './wire/device.ts';
export { parseScript, type Rule, type Script, type Step, type Transport } from './wire/script.ts';
export type { Pattern } from './wire/pattern.ts';
