import { plantTags } from './plant.ts';

export const names = { driver: 'plant', app: 'cloud', group: 'boiler', topic: 'demo/boiler' } as const;

interface Reply {
  readonly status: number;
  readonly body: { readonly error?: number; readonly token?: string };
}

/** Sets up the demo through the management API, as a user would. Done a second time, it changes nothing. */
export class Configuration {
  readonly #url: string;
  #token = '';

  constructor(url: string) {
    this.#url = url;
  }

  /** False when the default password has been changed: the demo then leaves the gateway as it is. */
  async logIn(): Promise<boolean> {
    const { body } = await this.#call('POST', 'login', { name: 'admin', pass: '0000' });
    this.#token = body.token ?? '';
    return body.token !== undefined;
  }

  async apply(devicePort: number, brokerPort: number): Promise<void> {
    const { driver, app, group, topic } = names;
    const nodeExists = 2002;
    const groupExists = 2104;
    const tagExists = 2202;
    const subscribed = 2101;
    const device = { connection_mode: 0, host: '127.0.0.1', port: devicePort, timeout: 3000, interval: 0 };
    const broker = { host: '127.0.0.1', port: brokerPort, format: 0, 'client-id': 'tagway-demo' };
    await this.#expect(nodeExists, 'POST', 'node', { name: driver, plugin: 'Modbus TCP' });
    await this.#expect(0, 'POST', 'node/setting', { node: driver, params: device });
    await this.#expect(groupExists, 'POST', 'group', { node: driver, name: group, interval: 1000 });
    await this.#expect(tagExists, 'POST', 'tags', { node: driver, group, tags: plantTags });
    await this.#expect(nodeExists, 'POST', 'node', { name: app, plugin: 'MQTT' });
    await this.#expect(0, 'POST', 'node/setting', {
      node: app,
      params: { ...broker, 'cache-mem-size': 0, 'cache-disk-size': 0 },
    });
    await this.#expect(subscribed, 'POST', 'subscribe', { app, driver, group, params: { topic } });
  }

  /** `harmless` is the code that says it had been done before. */
  async #expect(harmless: number, method: string, path: string, body: object): Promise<void> {
    const { status, body: reply } = await this.#call(method, path, body);
    if (reply.error !== 0 && reply.error !== harmless) {
      throw new Error(
        `The demo could not be set up: ${method} /api/v2/${path} was answered with ${status} and error ${reply.error}.`,
      );
    }
  }

  async #call(method: string, path: string, body: object): Promise<Reply> {
    const response = await fetch(`${this.#url}/api/v2/${path}`, {
      method,
      headers: {
        'Content-Type': 'application/json',
        ...(this.#token ? { Authorization: `Bearer ${this.#token}` } : {}),
      },
      body: JSON.stringify(body),
    });
    return { status: response.status, body: (await response.json()) as Reply['body'] };
  }
}
