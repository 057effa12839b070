import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { expect } from 'chai';
import { LinkState } from '@tagway/sdk';
import { pointsOf, until } from '@tagway/testkit';
import { frame } from './device.ts';
import { openFixture } from './fixture.ts';

describe('Modbus over UDP', () => {
  const points = pointsOf('1!400001', '1!400003');

  it('reads and writes, and is connected once the device has answered', async () => {
    await using fixture = await openFixture({ transport_mode: 1, max_in_flight: 4 });
    expect(fixture.states).to.deep.equal([LinkState.CONNECTING]);
    expect(await fixture.read(points)).to.deep.equal([0, 2]);
    expect(fixture.states).to.deep.equal([LinkState.CONNECTING, LinkState.CONNECTED]);
    expect(await fixture.written(points.slice(0, 1), [9])).to.deep.equal([undefined]);
    expect(await fixture.read(points)).to.deep.equal([9, 2]);
  });

  it('reads on after the loss of a datagram', async () => {
    await using fixture = await openFixture({ transport_mode: 1, max_retries: 1 });
    let lost = 1;
    fixture.device.script = (_request, usual) => (lost-- > 0 ? undefined : usual());
    expect(await fixture.read(points)).to.deep.equal([0, 2]);
  });

  it('notices that nobody listens, and comes back', async () => {
    await using fixture = await openFixture({ transport_mode: 1 });
    await fixture.read(points);
    await fixture.device.close();
    await until('the link is down', async () => (await fixture.read(points))[0] === 'fault 3002');
    expect(fixture.link).to.equal(LinkState.DISCONNECTED);
    await fixture.device.listenUdp(fixture.device.port);
    await until('values are back', async () => (await fixture.read(points))[0] === 0);
    expect(fixture.link).to.equal(LinkState.CONNECTED);
  });

  it('takes no answer from another port than the device’s', async () => {
    await using fixture = await openFixture({ transport_mode: 1 });
    const liar = createSocket('udp4');
    liar.bind(0, '127.0.0.1');
    await once(liar, 'listening');
    try {
      fixture.device.script = (request, usual) => {
        // The lie arrives before the truth.
        liar.send(
          frame(request.id, request.unit, Buffer.from([3, 2, 9, 9])),
          request.port,
          '127.0.0.1',
          () => {
            request.send(frame(request.id, request.unit, usual()));
          },
        );
        return undefined;
      };
      expect(await fixture.read(points)).to.deep.equal([0, 2]);
    } finally {
      await new Promise<void>((resolve) => liar.close(resolve));
    }
  });

  it('drops datagrams that are no frames', async () => {
    await using fixture = await openFixture({ transport_mode: 1 });
    fixture.device.script = (request, usual) => {
      for (const junk of [Buffer.alloc(0), Buffer.from('junk'), Buffer.alloc(1000, 0xff)]) request.send(junk);
      return usual();
    };
    expect(await fixture.read(points)).to.deep.equal([0, 2]);
    expect(fixture.record.counts.get('foreign_frames')).to.be.at.least(1);
  });
});
