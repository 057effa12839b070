const produce = 0;
const messageTooLarge = 10;

/** The answer that a request to store records of one partition is too large; undefined: it is another request. */
export function tooLarge(request: Buffer): Buffer | undefined {
  if (request.readInt16BE(4) !== produce) return undefined;
  const version = request.readInt16BE(6);
  if (version < 5 || version > 7) throw new Error(`Produce ${version} is none that this can answer.`);
  let at = 14 + Math.max(request.readInt16BE(12), 0);
  // The id of a transaction, how many confirm, a deadline, and one topic.
  at += 2 + Math.max(request.readInt16BE(at), 0) + 2 + 4;
  const topicAt = at + 4;
  const indexAt = topicAt + 2 + request.readInt16BE(topicAt) + 4;
  if (request.readInt32BE(at) !== 1 || request.readInt32BE(indexAt - 4) !== 1)
    throw new Error('The request is about several partitions.');
  const end = Buffer.alloc(2 + 8 + 8 + 8 + 4);
  end.writeInt16BE(messageTooLarge);
  end.fill(0xff, 2, 26);
  const body = [request.subarray(8, 12), request.subarray(at, indexAt + 4), end];
  const length = Buffer.alloc(4);
  length.writeInt32BE(body.reduce((sum, part) => sum + part.length, 0));
  return Buffer.concat([length, ...body]);
}
