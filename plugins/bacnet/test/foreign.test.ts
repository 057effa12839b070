import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { expect } from 'chai';
import { ErrorCode, isFault, type BrowseEntry } from '@tagway/sdk';
import { areas } from '../src/properties.ts';
import { Bvlc, BvlcResult } from '../src/protocol.ts';
import type { Settings } from '../src/settings.ts';
import { Bbmd, resultFrame } from './bbmd.ts';
import { serveForeign } from './peer-servers.ts';
import { callOf, until, withTshark } from '@tagway/testkit';
import { idlePlantAt, plantAt, type Plant } from './plant.ts';
import { real, Simulator } from './simulator.ts';
import { expectSound, shownOf } from './tshark.ts';

async function network(plant: Plant): Promise<readonly BrowseEntry[]> {
  const page = await plant.driver.browse?.({ id: 'network' }, callOf('demand'));
  return page?.entries ?? [];
}

async function withForeign(
  work: (plant: Plant, bbmd: Bbmd) => Promise<void>,
  changes: Partial<Settings> = {},
  prepare: (bbmd: Bbmd, plant: Plant) => void = () => undefined,
): Promise<Bbmd> {
  await using device = new Simulator();
  device.value(areas.AV as number, 1, real(1));
  await device.listen();
  await using bbmd = new Bbmd();
  await bbmd.listen();
  const own = { bbmd_host: '127.0.0.1', bbmd_port: bbmd.port, timeout: 150, retries: 1, ...changes };
  await using plant = idlePlantAt(device.port, own);
  prepare(bbmd, plant);
  await plant.driver.start();
  await work(plant, bbmd);
  return bbmd;
}

const names = (entries: readonly BrowseEntry[]): string[] => entries.map(({ name }) => name);
const about = ({ record }: Plant, words: string): string[] =>
  record.logs.filter((line) => line.includes('foreign device') && line.includes(words));

describe('a foreign device', () => {
  it('is registered for as long as the node runs, and renewed before the time is over', async () => {
    const bbmd = await withForeign(
      async (plant, { registered }) => {
        await until('it is renewed twice', () => registered.length >= 3);
        expect(about(plant, '')).to.have.length(1);
        expect(about(plant, 'is registered as')).to.have.length(1);
      },
      { bbmd_ttl: 2 },
    );
    expect(new Set(bbmd.registered)).to.deep.equal(new Set([2]));
    expect(bbmd.lapses).to.equal(0);
    expect(bbmd.count(Bvlc.DISTRIBUTE_BROADCAST), 'broadcasts without need').to.equal(0);
  });

  it('takes its leave when the node stops', async () => {
    await using bbmd = new Bbmd();
    await bbmd.listen();
    await using plant = await plantAt(1, { bbmd_host: 'localhost', bbmd_port: bbmd.port });
    await until('it is registered', () => about(plant, 'is registered').length === 1);
    const [entry] = [...bbmd.table.keys()];
    await plant.driver.stop(AbortSignal.timeout(5000));
    await until('it has left', () => bbmd.deleted.length === 1);
    expect(bbmd.deleted).to.deep.equal([entry]);
    expect(bbmd.table.size).to.equal(0);
  });

  it('finds devices of other subnets, and those behind routers', async () => {
    const bbmd = await withForeign(async (plant, { port }) => {
      plant.record.hurry = true;
      expect(await network(plant)).to.deep.equal([
        {
          ...{ name: 'Device 5', id: 'network/5', readable: false, type: 0 },
          description: `host 127.0.0.1, port ${port}, vendor 260`,
        },
        {
          ...{ name: 'Device 6', id: 'network/6', readable: false, type: 0 },
          description: 'host 10.0.0.9, port 47808, network 7, mac 0A, vendor 260',
        },
      ]);
    });
    expect(bbmd.count(Bvlc.DISTRIBUTE_BROADCAST)).to.equal(1);
  });

  it('says once that it is refused, to those who look for devices too, and is registered when it may', async () => {
    await withForeign(
      async (plant, bbmd) => {
        await until('it was refused often', () => bbmd.count(Bvlc.REGISTER_FOREIGN_DEVICE) > 5);
        expect(about(plant, 'which refuses it')).to.have.length(1);
        const fault = await network(plant).catch((error: unknown) => error);
        if (!isFault(fault)) throw new Error('Devices were looked for.');
        expect(fault.code).to.equal(ErrorCode.READ_FAILED);
        expect(fault.message).to.include('refuses to register');
        expect(bbmd.count(Bvlc.DISTRIBUTE_BROADCAST)).to.equal(0);
        bbmd.mood = 'good';
        await until('it is registered', () => about(plant, 'is registered again').length === 1);
        expect(names(await network(plant))).to.deep.equal(['Device 5', 'Device 6']);
      },
      {},
      (bbmd, { record }) => {
        record.hurry = true;
        bbmd.mood = 'refusing';
      },
    );
  });

  it('says once that it is lost, when its time is over and not before', async () => {
    await withForeign(async (plant, bbmd) => {
      await until('it is registered', () => about(plant, 'is registered').length === 1);
      plant.record.hurry = true;
      bbmd.mood = 'silent';
      // The timer that is under way was made before there was a hurry.
      bbmd.tell(BvlcResult.DISTRIBUTE_BROADCAST_NAK);
      await until('it is lost', () => about(plant, 'no longer registered').length === 1);
      const before = bbmd.count(Bvlc.REGISTER_FOREIGN_DEVICE);
      await until('it has tried often', () => bbmd.count(Bvlc.REGISTER_FOREIGN_DEVICE) > before + 5);
      expect(about(plant, 'no longer registered')).to.have.length(1);
      expect(about(plant, 'does not answer')).to.have.length(1);
      bbmd.mood = 'good';
      await until('it is registered again', () => about(plant, 'is registered again').length === 1);
      // A renewal that is not answered is no loss yet.
      bbmd.mood = 'silent';
      const held = bbmd.count(Bvlc.REGISTER_FOREIGN_DEVICE);
      await until('renewals were lost', () => bbmd.count(Bvlc.REGISTER_FOREIGN_DEVICE) > held + 5);
      expect(about(plant, '')).to.have.length(3);
      plant.record.later += 300_000;
      await until('the time is over', () => about(plant, 'no longer registered').length === 2);
    });
  });

  it('registers anew and asks again when the broadcast management device has forgotten it', async () => {
    const bbmd = await withForeign(async (plant, { table }) => {
      await until('it is registered', () => about(plant, 'is registered').length === 1);
      table.clear();
      plant.record.hurry = true;
      expect(names(await network(plant))).to.deep.equal(['Device 5', 'Device 6']);
      expect(about(plant, '')).to.have.length(1);
    });
    expect(bbmd.count(Bvlc.DISTRIBUTE_BROADCAST)).to.equal(2);
  });

  it('takes no results from others, and drops what does not decode', async () => {
    const other = createSocket('udp4');
    other.bind(0, '127.0.0.1');
    await once(other, 'listening');
    try {
      await withForeign(
        async (plant, bbmd) => {
          await until('it has asked', () => bbmd.count(Bvlc.REGISTER_FOREIGN_DEVICE) > 0);
          bbmd.mood = 'good';
          await until('it is registered', () => bbmd.table.size === 1);
          const [, port] = [...bbmd.table.keys()][0]?.split(':') ?? [];
          const { record } = plant;
          other.send(resultFrame(BvlcResult.REGISTER_FOREIGN_DEVICE_NAK), Number(port), '127.0.0.1');
          await until('it is counted', () => record.counts.get('foreign_frames') === 1);
          record.hurry = true;
          const found = network(plant);
          for (const bytes of ['81', '810400ff', '810b000a0120ffff00ff1008'])
            other.send(Buffer.from(bytes, 'hex'), Number(port), '127.0.0.1');
          expect(names(await found)).to.deep.equal(['Device 5', 'Device 6']);
          expect(record.counts.get('malformed_frames')).to.equal(3);
          expect(about(plant, 'refuses')).to.deep.equal([]);
        },
        {},
        (bbmd) => {
          bbmd.mood = 'silent';
        },
      );
    } finally {
      other.close();
    }
  });

  it('is understood by @bacnet-js/client, whose answers it understands', async () => {
    await using peer = await serveForeign(5);
    await using plant = await plantAt(1, {
      ...{ bbmd_host: '127.0.0.1', bbmd_port: peer.port, bbmd_ttl: 30, timeout: 150 },
    });
    await until('it is registered', () => about(plant, 'is registered').length === 1);
    expect(peer.registered).to.deep.equal([30]);
    plant.record.hurry = true;
    expect(names(await network(plant))).to.deep.equal(['Device 5']);
    expect(peer.asked).to.equal(1);
  });

  withTshark('in its frames, as tshark sees them', () => {
    it('is sound, and says what was meant', async () => {
      const bbmd = await withForeign(async (plant, { deleted, packets }) => {
        plant.record.hurry = true;
        await network(plant);
        await plant.driver.stop(AbortSignal.timeout(5000));
        await until('it has left', () => deleted.length === 1);
        expectSound(packets);
      });
      const own = bbmd.packets.filter(({ fromClient }) => fromClient);
      expectSound(own);
      const [entry = ''] = bbmd.deleted;
      const shown = shownOf(own, '', 'bvlc.function', 'bvlc.reg_ttl', 'bvlc.fdt_ip', 'bvlc.fdt_port');
      expect([...new Set(shown)]).to.deep.equal([
        ...['0x05\t300\t\t', '0x09\t\t\t', `0x08\t\t${entry.replace(':', '\t')}`],
      ]);
    });
  });
});
