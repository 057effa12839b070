import { checkTag, ModbusDriver } from '@tagway/modbus';
import { driver, type Context } from '@tagway/sdk';
import { Line, tcpClient, tcpMedium, tcpServer, type Transport, type Wire } from '@tagway/sdk/link';
import { checkParity, serialPort } from '@tagway/serial';
import { RtuLink } from './rtu-link.ts';
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
  create: (context) => {
    const { link, timeout } = context.settings;
    // A port that is gone is not back in a moment; a connection may be.
    const grace = link === LinkKind.TCP ? timeout : 0;
    return new ModbusDriver(context, new RtuLink(context, context.settings, wireOf(context), grace));
  },
  checkTag,
  checkSettings: (settings) =>
    settings.link === LinkKind.SERIAL ? checkParity(parityOf(settings)) : undefined,
});

function wireOf({ node, settings }: Context<Settings>): Wire {
  if (settings.link === LinkKind.TCP)
    return {
      transport: tcpOf(settings),
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
  return serialPort(node, options);
}

function tcpOf({ connection_mode, host, port, timeout }: TcpSettings): Transport {
  return connection_mode === ConnectionMode.SERVER
    ? tcpServer({ host, port })
    : tcpClient({ host, port }, { timeout });
}

function parityOf({ parity }: SerialSettings): (typeof parities)[number] {
  return parities[parity] ?? 'none';
}
