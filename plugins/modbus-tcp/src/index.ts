import {
  checkTag,
  FramedLink,
  ModbusDriver,
  TcpClient,
  TcpServer,
  type Endpoint,
  type Transport,
} from '@tagway/modbus';
import { driver, ErrorCode, Fault, type Clock } from '@tagway/sdk';
import { MbapFramer } from './mbap.ts';
import { ConnectionMode, TransportMode, type Settings } from './settings.ts';
import { UdpClient } from './udp.ts';

export default driver<Settings>({
  calls: 'one',
  create: (context) =>
    new ModbusDriver(
      context,
      new FramedLink(context, transportOf(context.settings, context.clock), new MbapFramer()),
    ),
  checkTag,
  checkSettings: (settings) =>
    settings.connection_mode === ConnectionMode.SERVER && settings.transport_mode === TransportMode.UDP
      ? new Fault(
          ErrorCode.NODE_SETTING_INVALID,
          'A device cannot dial in over UDP: choose TCP, or the client mode.',
        )
      : undefined,
});

function transportOf(settings: Settings, clock: Clock): Transport {
  const { host, port, backup_host = '', backup_port = 0, timeout } = settings;
  if (settings.connection_mode === ConnectionMode.SERVER) return new TcpServer({ host, port });
  const endpoints: Endpoint[] = [{ host, port }];
  if (backup_host !== '') endpoints.push({ host: backup_host, port: backup_port === 0 ? port : backup_port });
  return settings.transport_mode === TransportMode.UDP
    ? new UdpClient(endpoints, clock)
    : new TcpClient(endpoints, timeout, clock);
}
