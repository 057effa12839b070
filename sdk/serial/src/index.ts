export { listPorts, type PortInfo } from './list-ports.ts';
export type { PortOptions } from './native.ts';
export { checkParity, serialPort, type SerialPort } from './serial-port.ts';
export {
  bauds,
  checkWire,
  LinkKind,
  wireOf,
  type SerialSettings,
  type TcpSettings,
} from './wire-settings.ts';
