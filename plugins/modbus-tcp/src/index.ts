import { checkTag, ModbusDriver } from '@tagway/modbus';
import { driver, ErrorCode, Fault } from '@tagway/sdk';
import { tcpClient, tcpServer, udp, type Endpoint, type Transport } from '@tagway/sdk/link';
import { MbapLink } from './mbap-link.ts';
import { ConnectionMode, TransportMode, type Settings } from './settings.ts';

export default driver<Settings>({
  create: (context) =>
    new ModbusDriver(context, new MbapLink(context, context.settings, transportOf(context.settings))),
  checkTag,
  checkSettings: (settings) =>
    settings.connection_mode === ConnectionMode.SERVER && settings.transport_mode === TransportMode.UDP
      ? new Fault(
          ErrorCode.NODE_SETTING_INVALID,
          'A device cannot dial in over UDP: choose TCP, or the client mode.',
        )
      : undefined,
});

function transportOf(settings: Settings): Transport {
  const { host, port, backup_host = '', backup_port = 0, timeout } = settings;
  if (settings.connection_mode === ConnectionMode.SERVER) return tcpServer({ host, port });
  const endpoints: Endpoint[] = [{ host, port }];
  if (backup_host !== '') endpoints.push({ host: backup_host, port: backup_port === 0 ? port : backup_port });
  return settings.transport_mode === TransportMode.UDP ? udp(endpoints) : tcpClient(endpoints, { timeout });
}
