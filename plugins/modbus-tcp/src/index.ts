import { checkTag, countRequests, ModbusDriver } from '@tagway/modbus';
import { type Context, driver, ErrorCode, Fault } from '@tagway/sdk';
import { tcpClient, tcpServer, udp, type Endpoint, type Transport } from '@tagway/sdk/link';
import { MbapSession } from './session.ts';
import { ConnectionMode, TransportMode, type Settings } from './settings.ts';

export default driver<Settings>({
  create: (context) => {
    const { settings } = context;
    const transport = transportOf(context);
    return new ModbusDriver(context, (events) => new MbapSession(context, settings, transport, events));
  },
  checkTag,
  countRequests,
  checkSettings: (settings) => {
    const problem = problemOf(settings);
    return problem === undefined ? undefined : new Fault(ErrorCode.NODE_SETTING_INVALID, problem);
  },
});

function problemOf(settings: Settings): string | undefined {
  const { backup_host = '', backup_port = 0, connection_mode, transport_mode } = settings;
  const isServer = connection_mode === ConnectionMode.SERVER;
  if (isServer && transport_mode === TransportMode.UDP)
    return 'A device cannot dial in over UDP: choose TCP, or the client mode.';
  if (!isServer && backup_port !== 0 && backup_host === '')
    return 'backup_port is the port of backup_host, which is missing: give both, or leave backup_port out.';
  return undefined;
}

function transportOf(context: Context<Settings>): Transport {
  const { settings } = context;
  const { host, port, backup_host = '', backup_port = 0, timeout } = settings;
  if (settings.connection_mode === ConnectionMode.SERVER)
    return tcpServer({ host, port }, { listing: { context, protocol: 'Modbus TCP' } });
  const endpoints: Endpoint[] = [{ host, port }];
  if (backup_host !== '') endpoints.push({ host: backup_host, port: backup_port === 0 ? port : backup_port });
  return settings.transport_mode === TransportMode.UDP ? udp(endpoints) : tcpClient(endpoints, { timeout });
}
