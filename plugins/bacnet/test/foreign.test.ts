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
import { idleFixtureAt, fixtureAt, type Fixture } from './fixture.ts';
import { real, Simulator } from './simulator.ts';
import { expectSound, shownOf } from './tshark.ts';

async function network(fixture: Fixture): Promise<readonly BrowseEntry[]> {
  const page = await fixture.driver.browse?.({ id: 'network' }, callOf('demand'));
  return page?.entries ?? [];
}

async function withForeign(
  work: (fixture: Fixture, bbmd: Bbmd) => Promise<void>,
  changes: Partial<Settings> = {},
  prepare: (bbmd: Bbmd, fixture: Fixture) => void = () => undefined,
): Promise<Bbmd> {
  await using device = new Simulator();
  device.value(areas.AV as number, 1, real(1));
  await device.listen();
  await using bbmd = new Bbmd();
  await bbmd.listen();
  const own = { bbmd_host: '127.0.0.1', bbmd_port: bbmd.port, timeout: 150, retries: 1, ...changes };
  await using fixture = idleFixtureAt(device.port, own);
  prepare(bbmd, fixture);
  await fixture.driver.start();
  await work(fixture, bbmd);
  return bbmd;
}

const names = (entries: readonly BrowseEntry[]): string[] => entries.map(({ name }) => name);
const about = ({ record }: Fixture, words: string): string[] =>
  record.logs.filter((line) => line.includes('foreign device') && line.includes(words));

describe('a foreign device', () => {
  it('is registered for as long as the node runs, and renewed before the time is over', async () => {
    const bbmd = await withForeign(
      async (fixture, { registered }) => {
        await until('it is renewed twice', () => registered.length >= 3);
        expect(about(fixture, '')).to.have.length(1);
        expect(about(fixture, 'is registered as')).to.have.length(1);
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
    await using fixture = await fixtureAt(1, { bbmd_host: 'localhost', bbmd_port: bbmd.port });
    await until('it is registered', () => about(fixture, 'is registered').length === 1);
    const [entry] = [...bbmd.table.keys()];
    await fixture.driver.stop(AbortSignal.timeout(5000));
    await until('it has left', () => bbmd.deleted.length === 1);
    expect(bbmd.deleted).to.deep.equal([entry]);
    expect(bbmd.table.size).to.equal(0);
  });

  it('finds devices of other subnets, and those behind routers', async () => {
    const bbmd = await withForeign(async (fixture, { port }) => {
      fixture.record.shortWaits = true;
      expect(await network(fixture)).to.deep.equal([
        {
          name: 'Device 5',
          id: 'network/5',
          readable: false,
          type: 0,
          description: `host 127.0.0.1, port ${port}, vendor 260`,
        },
        {
          name: 'Device 6',
          id: 'network/6',
          readable: false,
          type: 0,
          description: 'host 10.0.0.9, port 47808, network 7, mac 0A, vendor 260',
        },
      ]);
    });
    expect(bbmd.count(Bvlc.DISTRIBUTE_BROADCAST)).to.equal(1);
  });

  it('says once that it is refused, to those who look for devices too, and is registered when it may', async () => {
    await withForeign(
      async (fixture, bbmd) => {
        await until('it was refused often', () => bbmd.count(Bvlc.REGISTER_FOREIGN_DEVICE) > 5);
        expect(about(fixture, 'which refuses it')).to.have.length(1);
        const fault = await network(fixture).catch((error: unknown) => error);
        if (!isFault(fault)) throw new Error('Devices were looked for.');
        expect(fault.code).to.equal(ErrorCode.READ_FAILED);
        expect(fault.message).to.include('refuses to register');
        expect(bbmd.count(Bvlc.DISTRIBUTE_BROADCAST)).to.equal(0);
        bbmd.mood = 'good';
        await until('it is registered', () => about(fixture, 'is registered again').length === 1);
        expect(names(await network(fixture))).to.deep.equal(['Device 5', 'Device 6']);
      },
      {},
      (bbmd, { record }) => {
        record.shortWaits = true;
        bbmd.mood = 'refusing';
      },
    );
  });

  it('says once that it is lost, when its time is over and not before', async () => {
    await withForeign(async (fixture, bbmd) => {
      await until('it is registered', () => about(fixture, 'is registered').length === 1);
      fixture.record.shortWaits = true;
      bbmd.mood = 'silent';
      // The timer that is under way was made before `shortWaits` was set.
      bbmd.sendResult(BvlcResult.DISTRIBUTE_BROADCAST_NAK);
      await until('it is lost', () => about(fixture, 'no longer registered').length === 1);
      const before = bbmd.count(Bvlc.REGISTER_FOREIGN_DEVICE);
      await until('it has tried often', () => bbmd.count(Bvlc.REGISTER_FOREIGN_DEVICE) > before + 5);
      expect(about(fixture, 'no longer registered')).to.have.length(1);
      expect(about(fixture, 'does not answer')).to.have.length(1);
      bbmd.mood = 'good';
      await until('it is registered again', () => about(fixture, 'is registered again').length === 1);
      // A renewal that is not answered is no loss yet.
      bbmd.mood = 'silent';
      const held = bbmd.count(Bvlc.REGISTER_FOREIGN_DEVICE);
      await until('renewals were lost', () => bbmd.count(Bvlc.REGISTER_FOREIGN_DEVICE) > held + 5);
      expect(about(fixture, '')).to.have.length(3);
      fixture.record.clockOffset += 300_000;
      await until('the time is over', () => about(fixture, 'no longer registered').length === 2);
    });
  });

  it('registers anew and asks again when the broadcast management device has forgotten it', async () => {
    const bbmd = await withForeign(async (fixture, { table }) => {
      await until('it is registered', () => about(fixture, 'is registered').length === 1);
      table.clear();
      fixture.record.shortWaits = true;
      expect(names(await network(fixture))).to.deep.equal(['Device 5', 'Device 6']);
      expect(about(fixture, '')).to.have.length(1);
    });
    expect(bbmd.count(Bvlc.DISTRIBUTE_BROADCAST)).to.equal(2);
  });

  it('takes no results from others, and drops what does not decode', async () => {
    const other = createSocket('udp4');
    other.bind(0, '127.0.0.1');
    await once(other, 'listening');
    try {
      await withForeign(
        async (fixture, bbmd) => {
          await until('it has asked', () => bbmd.count(Bvlc.REGISTER_FOREIGN_DEVICE) > 0);
          bbmd.mood = 'good';
          await until('it is registered', () => bbmd.table.size === 1);
          const [, port] = [...bbmd.table.keys()][0]?.split(':') ?? [];
          const { record } = fixture;
          other.send(resultFrame(BvlcResult.REGISTER_FOREIGN_DEVICE_NAK), Number(port), '127.0.0.1');
          await until('it is counted', () => record.counts.get('foreign_frames') === 1);
          record.shortWaits = true;
          const found = network(fixture);
          for (const bytes of ['81', '810400ff', '810b000a0120ffff00ff1008'])
            other.send(Buffer.from(bytes, 'hex'), Number(port), '127.0.0.1');
          expect(names(await found)).to.deep.equal(['Device 5', 'Device 6']);
          expect(record.counts.get('malformed_frames')).to.equal(3);
          expect(about(fixture, 'refuses')).to.deep.equal([]);
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
    await using fixture = await fixtureAt(1, {
      bbmd_host: '127.0.0.1',
      bbmd_port: peer.port,
      bbmd_ttl: 30,
      timeout: 150,
    });
    await until('it is registered', () => about(fixture, 'is registered').length === 1);
    expect(peer.registered).to.deep.equal([30]);
    fixture.record.shortWaits = true;
    expect(names(await network(fixture))).to.deep.equal(['Device 5']);
    expect(peer.asked).to.equal(1);
  });

  withTshark('in its frames, as tshark sees them', () => {
    it('is sound, and says what was meant', async () => {
      const bbmd = await withForeign(async (fixture, { deleted, packets }) => {
        fixture.record.shortWaits = true;
        await network(fixture);
        await fixture.driver.stop(AbortSignal.timeout(5000));
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
