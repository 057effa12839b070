import type { Context } from '@tagway/sdk';
import { Link, Requests, tcpClient } from '@tagway/sdk/link';
import { WordDriver } from '@tagway/words';
import { FinsMemory } from './memory.ts';
import type { Nodes } from './protocol.ts';
import { FinsSession } from './session.ts';
import type { Settings } from './settings.ts';

/** One run of a FINS node. */
export class FinsDriver extends WordDriver<Nodes> {
  constructor(context: Context<Settings>) {
    const { host, port, timeout, max_words, local_node, ...target } = context.settings;
    const session = new FinsSession(local_node, {
      replied: (sid, frame) => requests.settle(sid, frame),
      broken: (reason) => link.lose(reason),
    });
    const link = new Link(context, tcpClient({ host, port }, { timeout }), session, { timeout });
    // PLCs queue little, so one request is on its way at a time; its service id tells late replies from others.
    const requests = new Requests<Buffer>(link, { timeout, ids: { first: 1, last: 255 } });
    super(context, link, new FinsMemory(link, requests, { target, mostWords: max_words }));
  }
}
