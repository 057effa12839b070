export { listPorts, type PortInfo, type PortOptions } from './native.ts';
export { checkParity, serialPort, type SerialPort } from './serial-port.ts';
