import { createHmac } from 'node:crypto';
import type { Broker } from '@tagway/mqtt-client';
import { defaultTopic } from './topics.ts';

/** Services of clouds that want more of a client than MQTT does. */
export const Service = { ANY: 0, AZURE: 1, AWS: 2 } as const;
export type Service = (typeof Service)[keyof typeof Service];

/** The settings of a node that a service has to do with. */
interface ServiceSettings {
  readonly service: Service;
  readonly 'connection-string'?: string;
  readonly host: string;
  readonly ssl: boolean;
  readonly qos: 0 | 1 | 2;
  readonly version: 4 | 5;
  readonly retain: boolean;
  readonly enable_topic: boolean;
  readonly cert?: string;
}

type AzureSettings = Pick<ServiceSettings, 'service' | 'connection-string'>;

/** Milliseconds for which a token is good, and after which a connection that was made with it is renewed. */
const tokenLife = 3_600_000;
export const renewAfter = 3_000_000;

/** The name of MQTT in the handshake of TLS on port 443, where AWS IoT Core has HTTPS too. */
const awsProtocol = 'x-amzn-mqtt-ca';

/** What an Azure IoT Hub says of a device, or of a module of one, for it to connect. */
export interface AzureDevice {
  readonly host: string;
  readonly device: string;
  readonly module: string | undefined;
  /** Base64. */
  readonly key: string;
}

/** The parts of a connection string of a device, or undefined when it is none. */
export function azureDevice(text: string): AzureDevice | undefined {
  const parts = new Map(
    text.split(';').map((part) => {
      const at = part.indexOf('=');
      return [part.slice(0, Math.max(at, 0)).trim(), part.slice(at + 1).trim()];
    }),
  );
  const host = parts.get('HostName');
  const device = parts.get('DeviceId');
  const key = parts.get('SharedAccessKey');
  if (!host || !device || !key || !/^[A-Za-z0-9+/]+={0,2}$/.test(key)) return undefined;
  return { host, device, module: parts.get('ModuleId'), key };
}

/** A shared access signature for a resource until a time in seconds since 1970. */
export function sharedAccessSignature(resource: string, key: string, until: number): string {
  const encoded = encodeURIComponent(resource);
  const signature = createHmac('sha256', Buffer.from(key, 'base64'))
    .update(`${encoded}\n${until}`)
    .digest('base64');
  return `SharedAccessSignature sr=${encoded}&sig=${encodeURIComponent(signature)}&se=${until}`;
}

const nameIn = ({ device, module }: AzureDevice): string =>
  module === undefined ? device : `${device}/${module}`;

/** The topic of groups where the settings name none: a hub takes messages of a device on its own topic alone. */
export function defaultTopicOf({ service, 'connection-string': text = '' }: AzureSettings): string {
  const device = service === Service.AZURE ? azureDevice(text) : undefined;
  if (device === undefined) return defaultTopic;
  const { device: name, module } = device;
  return `devices/${name}${module === undefined ? '' : `/modules/${module}`}/messages/events/`;
}

/** The broker for one connection, with what its service wants: a token that is made for it, or a protocol in the handshake of TLS. */
export function serviceBroker<B extends Broker>(broker: B, settings: AzureSettings, now: number): B {
  if (settings.service === Service.AWS)
    return broker.port === 443 ? { ...broker, tls: { ...broker.tls, ALPNProtocols: [awsProtocol] } } : broker;
  const device =
    settings.service === Service.AZURE ? azureDevice(settings['connection-string'] ?? '') : undefined;
  if (device === undefined) return broker;
  const { host, key, module } = device;
  const clientId = nameIn(device);
  const resource = `${host}/devices/${device.device}${module === undefined ? '' : `/modules/${module}`}`;
  const until = Math.floor((now + tokenLife) / 1000);
  return {
    ...broker,
    clientId,
    username: `${host}/${clientId}/?api-version=2021-04-12`,
    password: sharedAccessSignature(resource, key, until),
  };
}

/** Why the settings do not fit their service, or undefined. */
export function serviceProblem(settings: ServiceSettings): string | undefined {
  const { service, host, ssl, qos, version, retain, cert } = settings;
  if (service === Service.ANY) return undefined;
  const name = service === Service.AZURE ? 'Azure IoT Hub' : 'AWS IoT Core';
  if (!ssl) return `${name} takes TLS alone: set "ssl" to true.`;
  if (qos === 2) return `${name} knows no QoS 2: set "qos" to 1.`;
  if (service === Service.AWS)
    return cert === undefined
      ? `${name} knows a client by its certificate: set "cert" and "key".`
      : undefined;
  const device = azureDevice(settings['connection-string'] ?? '');
  if (device === undefined)
    return '"connection-string" is not that of a device: it has to hold HostName=…;DeviceId=…;SharedAccessKey=….';
  if (device.host.toLowerCase() !== host.toLowerCase())
    return `"host" is ${host}, and "connection-string" names ${device.host}: they have to be the same.`;
  if (settings.enable_topic) return `${name} takes no topics of others: set "enable_topic" to false.`;
  if (version !== 4) return `${name} takes a token as password with MQTT 3.1.1: set "version" to 4.`;
  return retain ? `${name} keeps no messages: set "retain" to false.` : undefined;
}
