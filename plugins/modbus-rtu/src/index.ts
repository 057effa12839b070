import { checkTag, ModbusDriver, TcpClient, TcpServer, type Transport } from '@tagway/modbus';
import { driver, ErrorCode, Fault, type Clock, type Context } from '@tagway/sdk';
import { Line, tcpMedium } from './line.ts';
import { RtuLink, type Wire } from './rtu-link.ts';
import { SerialTransport } from './serial-transport.ts';
import {
  bauds,
  ConnectionMode,
  dataBits,
  LinkKind,
  parities,
  stopBits,
  type SerialSettings,
  type Settings,
  type TcpSettings,
} from './settings.ts';

export default driver<Settings>({
  calls: 'one',
  create: (context) => new ModbusDriver(context, new RtuLink(context, wireOf(context))),
  checkTag,
  checkSettings(settings) {
    const isSticky = settings.link === LinkKind.SERIAL && ['mark', 'space'].includes(parityOf(settings));
    if (!isSticky || process.platform === 'win32') return undefined;
    return new Fault(
      ErrorCode.NODE_SETTING_INVALID,
      'Mark and space parity do not exist on this platform. In place of mark parity with one stop bit use no parity with two stop ' +
        'bits, which looks the same on the line.',
    );
  },
});

function wireOf({ clock, node, settings }: Context<Settings>): Wire {
  if (settings.link === LinkKind.TCP)
    return {
      transport: tcpOf(settings, clock),
      key: `${settings.host}:${settings.port}`,
      line: new Line(tcpMedium),
    };
  const options = {
    path: settings.device,
    baudRate: bauds[settings.baud] ?? 9600,
    dataBits: dataBits[settings.data] ?? 8,
    stopBits: stopBits[settings.stop] ?? 1,
    parity: parityOf(settings),
  };
  return new SerialTransport(node, options, clock);
}

function tcpOf({ connection_mode, host, port, timeout }: TcpSettings, clock: Clock): Transport {
  return connection_mode === ConnectionMode.SERVER
    ? new TcpServer({ host, port })
    : new TcpClient([{ host, port }], timeout, clock);
}

function parityOf({ parity }: SerialSettings): (typeof parities)[number] {
  return parities[parity] ?? 'none';
}
