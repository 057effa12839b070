export { checkTag } from './address.ts';
export { explainPdus } from './explain.ts';
export { ModbusDriver } from './driver.ts';
export { countRequests } from './plan.ts';
export type { Exchange, Session, SessionEvents } from './session.ts';
export { maxPdu, replySize } from './protocol.ts';
export type { ModbusSettings } from './settings.ts';
