import type { GatewayModel } from './gateway-model.ts';
import type { World } from './world.ts';

export const kinds = [
  'host killed',
  'host stopped',
  'runners stopped',
  'agent killed',
  'agent stopped',
  'machine lost',
  'unplugged',
  'cut from etcd',
  'cut from devices',
  'requests to etcd lost',
  'answers of etcd lost',
  'etcd slow',
  'leader lost',
  'majority lost',
  'machine and leader lost',
  'lease ended early',
  'etcd full',
  'disk full',
  'moved',
  'drained',
] as const;

export type Kind = (typeof kinds)[number] | 'machine frozen';

/** Has a fault happen to one gateway, or to etcd, now, and ends it after `ms`. */
export function fault(world: World, kind: Kind, gateway: GatewayModel, ms: number): void {
  const { clock, chance, etcd } = world;
  const later = (end: () => void, after = ms): void => clock.after(after, end);
  const election = (after: number): void => {
    etcd.isUp = false;
    later(() => world.elect(), after);
  };
  switch (kind) {
    case 'host killed':
      return gateway.killHost();
    case 'host stopped':
      gateway.stopHost();
      return later(() => gateway.resumeHost());
    case 'runners stopped':
      gateway.stopRunners();
      return later(() => gateway.resumeRunners());
    case 'agent killed':
      return gateway.killAgent();
    case 'agent stopped':
      gateway.stopAgent();
      return later(() => gateway.resumeAgent());
    case 'machine lost':
      gateway.lose();
      return later(() => gateway.boot(), ms + 5000);
    case 'unplugged':
      gateway.cutOut = gateway.cutIn = gateway.deviceCut = true;
      return later(() => {
        gateway.cutOut = gateway.cutIn = false;
        gateway.plug();
      });
    case 'cut from etcd':
      gateway.cutOut = gateway.cutIn = true;
      return later(() => (gateway.cutOut = gateway.cutIn = false));
    case 'cut from devices':
      gateway.deviceCut = true;
      return later(() => gateway.plug());
    case 'requests to etcd lost':
      gateway.cutOut = true;
      return later(() => (gateway.cutOut = false));
    case 'answers of etcd lost':
      gateway.cutIn = true;
      return later(() => (gateway.cutIn = false));
    case 'etcd slow':
      gateway.slowness = 700;
      return later(() => (gateway.slowness = 0));
    case 'leader lost':
      return election(chance.between(1600, 2200));
    case 'majority lost':
      return election(ms);
    case 'machine and leader lost':
      gateway.lose();
      election(chance.between(1600, 2200));
      return later(() => gateway.boot(), ms + 5000);
    case 'lease ended early': {
      const lease = etcd.members.get(gateway.place.name)?.lease;
      if (lease !== undefined) etcd.revoke(lease);
      return;
    }
    case 'etcd full':
      etcd.isFull = true;
      return later(() => (etcd.isFull = false));
    case 'disk full':
      gateway.isDiskFull = true;
      return later(() => (gateway.isDiskFull = false));
    case 'moved': {
      const other = chance.of(world.gateways.filter((one) => one !== gateway));
      for (const [right, { member }] of etcd.owners)
        if (member === gateway.place.name && chance.is(0.5)) etcd.want(right, other.place.name);
      return;
    }
    case 'drained':
      gateway.isDraining = true;
      gateway.catchUp();
      return later(() => {
        gateway.isDraining = false;
        gateway.catchUp();
      });
    case 'machine frozen':
      gateway.stopAgent();
      gateway.stopHost();
      return later(() => gateway.thaw(ms));
  }
}
