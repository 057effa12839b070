import { Readable } from 'node:stream';
import type { FrameTrace, FrameTraces } from '../../core/nodes/frame-traces.ts';
import { ErrorCode } from '@tagway/schemas';
import type { TracedFrame } from '../../core/ports/ports.ts';
import { refuse } from '../../core/system/refuse.ts';
import { sentence } from '../../core/system/sentence.ts';
import { pcapngOf } from '../capture/pcapng.ts';
import { textOfFrame } from '../capture/text.ts';
import { Content, withBody, withQuery, type Endpoints } from '../route.ts';

/** Most frames of one reply, and most bytes of them beside one more frame. */
const page = { frames: 500, bytes: 256 << 10 } as const;

const errors = ['NODE_NOT_FOUND', 'NODE_NAME_TOO_LONG', 'FILE_NOT_FOUND'] as const;

/** The frames between a driver and its device, or the messages of an app, for a minute at a time. `build`: what files are made by. */
export function traceEndpoints(traces: FrameTraces, build: { readonly version: string }): Endpoints {
  return {
    'POST /api/v2/node/trace': withBody(
      'BeginTraceBody',
      {
        role: 'engineer',
        summary:
          'Begins to trace the frames between a driver and its device, or the messages that an app sends and receives. It ends by itself after a minute, 10000 frames or 4 MB, and 10 seconds after it was looked at last. A node is traced once at a time, and at most 8 nodes. The frames have what the device is asked with, passwords of the protocol included; the messages have values and topics alone.',
        audit: ({ node, driver, group, tag, unit }) => {
          if (driver !== undefined)
            return `began to trace the messages of the node "${node}" with values of "${driver}/${group ?? ''}"`;
          const tagText = tag === undefined ? '' : ` about the tag "${group ?? ''}/${tag}"`;
          const unitText = unit === undefined ? '' : ` of the unit "${unit}"`;
          return `began to trace the frames${tagText}${unitText} of the node "${node}"`;
        },
        errors: [
          'NODE_NOT_FOUND',
          'NODE_NAME_TOO_LONG',
          'GROUP_NOT_ALLOWED',
          'GROUP_NOT_FOUND',
          'GROUP_NAME_TOO_LONG',
          'TAG_NOT_FOUND',
          'PARAM_INVALID',
          'NOT_RUNNING',
          'TRACE_UNSUPPORTED',
          'TRACE_RUNNING',
          'BUSY',
        ],
      },
      ({ node, ...wish }) => traces.begin(node, wish),
    ),

    'DELETE /api/v2/node/trace': withBody(
      'EndTraceBody',
      {
        role: 'engineer',
        summary: 'Ends a trace. What it has is kept for ten minutes.',
        audit: ({ node }) => `ended the trace of the frames of the node "${node}"`,
        errors,
      },
      ({ node }) => {
        traces.end(node);
        return undefined;
      },
    ),

    'GET /api/v2/node/trace': withQuery(
      'TraceQuery',
      {
        role: 'engineer',
        summary:
          'Shows frames or messages of the trace of a node, the one that runs or the last, and of an app how many messages each subscription had.',
        reply: 'TraceReply',
        errors,
      },
      ({ node, after = '0' }) => traceReply(node, traces.see(node), Number(after)),
    ),

    'GET /api/v2/node/trace/text': withQuery(
      'TraceFileQuery',
      {
        role: 'engineer',
        summary: 'Gives the trace of a node as text.',
        reply: { type: 'text/plain; charset=utf-8' },
        errors,
      },
      ({ node }) => {
        const { frames, counts } = traces.see(node);
        const what = counts === undefined ? 'Frames' : 'Messages';
        const lines = [`${what} of the node ${JSON.stringify(node)}: ${frames.length}\n`];
        const text = Readable.from(textOf(lines, frames.slice()), { objectMode: false });
        return new Content('text/plain; charset=utf-8', text, attachment(`${what.toLowerCase()}.txt`));
      },
    ),

    'GET /api/v2/node/trace/pcapng': withQuery(
      'TraceFileQuery',
      {
        role: 'engineer',
        summary:
          'Gives the trace of a node as a pcapng file for Wireshark. Its headers of IP, TCP and UDP are made up so that the protocol is recognized: the device has the default port of the protocol.',
        reply: { type: 'application/octet-stream' },
        errors: [...errors, 'TRACE_UNSUPPORTED'],
      },
      ({ node }) => {
        const { frames, counts } = traces.see(node);
        if (counts !== undefined)
          return refuse(
            ErrorCode.TRACE_UNSUPPORTED,
            sentence`The messages of an app are no frames that Wireshark reads: save them as text.`,
          );
        const comment =
          `Frames of the node ${JSON.stringify(node)}. The headers of IP, TCP and UDP are made up: ` +
          'the gateway is 192.0.2.1 or 2001:db8::1, and the device has the default port of its protocol.';
        const file = pcapngOf(frames, `Tagway ${build.version}`, comment);
        return new Content('application/octet-stream', file, attachment('frames.pcapng'));
      },
    ),
  };
}

function attachment(name: string): Record<string, string> {
  return {
    'Content-Disposition': `attachment; filename=${name}`,
    'Access-Control-Expose-Headers': 'Content-Disposition',
  };
}

function* textOf(head: readonly string[], frames: readonly TracedFrame[]): Iterable<string> {
  yield* head;
  for (const frame of frames) yield textOfFrame(frame);
}

function traceReply(
  node: string,
  { wish, begun, until, end, frames, bytes, counts }: FrameTrace,
  after: number,
): object {
  const { unit, driver, group, tag } = wish;
  const shown: object[] = [];
  let size = 0;
  for (let at = after; at < frames.length && shown.length < page.frames && size < page.bytes; at++) {
    const frame = frames[at]!;
    size += frame.data.length;
    shown.push(frameReply(at + 1, frame));
  }
  return {
    node,
    begun,
    until,
    ...(end !== undefined && { end }),
    ...(unit !== undefined && { unit }),
    ...(driver !== undefined && { driver }),
    ...(group !== undefined && { group }),
    ...(tag !== undefined && { tag }),
    total: frames.length,
    bytes,
    ...(counts !== undefined && { subscriptions: counts.all }),
    frames: shown,
  };
}

function frameReply(
  number: number,
  { at, direction, size, data, text, unit, connection, topic, of, failure }: TracedFrame,
): object {
  const { buffer, byteOffset, byteLength } = data;
  return {
    number,
    time: Math.round(at * 1000) / 1000,
    direction,
    peer: connection.peer,
    connection: connection.id,
    ...(unit !== undefined && { unit }),
    size,
    hex: Buffer.from(buffer, byteOffset, byteLength).toString('hex'),
    ...(text !== undefined && { text }),
    ...(topic !== undefined && { topic }),
    ...(of !== undefined && { driver: of.driver, group: of.group }),
    ...(failure !== undefined && { failure }),
  };
}
