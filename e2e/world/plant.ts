import { type Broker, startBroker } from './brokers.ts';
import type { Client } from '../kit/client.ts';
import { lasting, lateBound, type Lifetime } from '../kit/late-bound.ts';
import { Device, type DeviceKind } from './devices.ts';
import { Gateway, type GatewayOptions } from '../kit/gateway.ts';
import { Subscriber } from './subscriber.ts';

export interface PlantOptions {
  readonly gateway?: GatewayOptions;
  readonly device?: { readonly kind?: DeviceKind };
}

interface GatewayAlone {
  readonly gateway: Gateway;
  /** Is logged in, also after the gateway was started again. */
  readonly client: Client;
}

/** What most tests need: a gateway with its client, and a Modbus device. */
export interface Plant extends GatewayAlone {
  readonly device: Device;
}

/** A gateway with its client, a broker, and a subscriber of all that is published there. */
export interface North extends GatewayAlone {
  readonly broker: Broker;
  readonly subscriber: Subscriber;
}

/** A plant with a broker. */
export interface NorthPlant extends Plant, North {}

/** Starts a plant. What was started is stopped with `stack`, the last first, also when the rest does not start. */
export async function startPlant(stack: AsyncDisposableStack, options: PlantOptions = {}): Promise<Plant> {
  const device = await Device.start(options.device);
  stack.defer(() => device.stop());
  return { device, ...(await startGateway(stack, options.gateway)) };
}

async function startGateway(stack: AsyncDisposableStack, options?: GatewayOptions): Promise<GatewayAlone> {
  const gateway = await Gateway.start(options);
  stack.defer(() => gateway.dispose());
  return { gateway, client: await gateway.client() };
}

async function startNorth(stack: AsyncDisposableStack, options: PlantOptions = {}): Promise<North> {
  const broker = await startBroker();
  stack.defer(() => broker.stop());
  const gateway = await startGateway(stack, options.gateway);
  const subscriber = await Subscriber.connect(broker.port, '#');
  stack.defer(() => subscriber.close());
  return { ...gateway, broker, subscriber };
}

export async function startNorthPlant(
  stack: AsyncDisposableStack,
  options: PlantOptions = {},
): Promise<NorthPlant> {
  const device = await Device.start(options.device);
  stack.defer(() => device.stop());
  return { device, ...(await startNorth(stack, options)) };
}

/** What a suite may do to its plant. */
export interface Used {
  /** Logs in again, where the token of `client` is good no more. */
  renew(): Promise<void>;
}

/** To be called in a suite: a gateway alone, with its client. */
export function useGateway(options?: GatewayOptions, lifetime: Lifetime = 'suite'): GatewayAlone & Used {
  return usePlantOf((stack) => startGateway(stack, options), ['gateway', 'client'], lifetime);
}

/** To be called in a suite: a plant that is started before the first test and stopped after the last. */
export function usePlant(options?: PlantOptions, lifetime: Lifetime = 'suite'): Plant & Used {
  return usePlantOf((stack) => startPlant(stack, options), ['device', 'gateway', 'client'], lifetime);
}

/** As `usePlant`, with a broker. */
export function useNorthPlant(options?: PlantOptions, lifetime: Lifetime = 'suite'): NorthPlant & Used {
  return usePlantOf(
    (stack) => startNorthPlant(stack, options),
    ['device', 'gateway', 'client', 'broker', 'subscriber'],
    lifetime,
  );
}

/** As `useNorthPlant`, without the device. */
export function useNorth(): North & Used {
  return usePlantOf((stack) => startNorth(stack), ['gateway', 'client', 'broker', 'subscriber']);
}

/** As `usePlant`, with a plant of another kind: `parts` are the names of what is in it. */
export function usePlantOf<P extends Pick<Plant, 'gateway' | 'client'>>(
  start: (stack: AsyncDisposableStack) => Promise<P>,
  parts: readonly (keyof P & string)[],
  lifetime: Lifetime = 'suite',
): P & Used {
  let stack: AsyncDisposableStack | undefined;
  let plant: P | undefined;
  const begin = async (): Promise<void> => {
    stack = new AsyncDisposableStack();
    plant = await start(stack);
  };
  lasting(lifetime, begin, async () => stack?.disposeAsync());
  const members = parts.map((part) => [part, lateBound(part, () => plant?.[part] as object | undefined)]);
  const renew = async (): Promise<void> => {
    if (plant !== undefined) plant = { ...plant, client: await plant.gateway.client() };
  };
  return { ...(Object.fromEntries(members) as P), renew };
}
