import type { Context } from '@tagway/sdk';
import { Link, Requests, tcpClient, udp, type Transport } from '@tagway/sdk/link';
import { WordDriver } from '@tagway/words';
import { Qna3eMemory } from './memory.ts';
import { routeBytes, timerOf } from './protocol.ts';
import { Qna3eSession, type Reply } from './session.ts';
import { TransportMode, type Settings } from './settings.ts';

/** One run of a 3E node. */
export class Qna3eDriver extends WordDriver<unknown> {
  constructor(context: Context<Settings>) {
    const { settings } = context;
    const { timeout } = settings;
    const route = routeBytes(settings);
    const session = new Qna3eSession(route, (reply) => requests.settle(0, reply));
    const link: Link = new Link(context, transportOf(settings), session, { timeout });
    // Replies name no request: one is on its way at a time, and after a timeout the connection is dropped.
    const requests = new Requests<Reply>(link, { timeout });
    super(
      context,
      link,
      new Qna3eMemory(link, requests, { bases: settings, route, timer: timerOf(timeout) }),
    );
  }
}

function transportOf({ transport_mode, host, port, timeout, local_port }: Settings): Transport {
  return transport_mode === TransportMode.UDP
    ? udp({ host, port }, { localPort: local_port })
    : tcpClient({ host, port }, { timeout });
}
