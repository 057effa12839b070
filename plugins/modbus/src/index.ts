export { checkTag } from './address.ts';
export { ModbusDriver } from './driver.ts';
export type { Exchange, Link } from './link.ts';
export { maxPdu, replySize } from './pdu.ts';
export type { ModbusSettings } from './settings.ts';
