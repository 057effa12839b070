import { compatibilities, ErrorCode } from '@tagway/schemas';
import { expect } from 'chai';
import type { Data, Method } from '../client.ts';
import { bodies, specification } from '../conformance/index.ts';
import { codeOf, type ConformanceRow, type RowDetails } from '../conformance/rows.ts';
import { impossible, section4 } from '../conformance/section-4.ts';
import { openStand } from '../conformance/stand.ts';
import type { Stand } from '../conformance/stand.ts';

interface Document {
  readonly paths: Record<
    string,
    Record<string, { readonly responses: Record<string, { readonly 'x-codes'?: Record<string, string> }> }>
  >;
}

const total = Object.values(specification).flat().length;

function detailsOf([, , , , more = {}]: ConformanceRow): RowDetails {
  return typeof more === 'number' ? { index: more } : more;
}

/** What a refusal says beside its code. */
const sentence = /^[A-Z\d/"].*[.)?]$/s;

for (const profile of compatibilities) {
  describe(`conformance, ${profile}`, function () {
    this.timeout(60_000);
    let stand: Stand;
    let document: Document;
    const exercised = new Set<ConformanceRow>();

    before(async () => {
      stand = await openStand(profile);
      document = await stand.client.ok<Document>('GET', '/openapi.json');
    });
    after(() => stand?.[Symbol.asyncDispose]());

    for (const [endpoint, rows] of Object.entries(specification)) {
      const [method, path] = endpoint.split(' ') as [Method, string];
      describe(endpoint, () => {
        for (const row of rows) {
          const [when, send, ...specified] = row;
          const { index, family, token } = detailsOf(row);
          const [status, error] = profile === 'family' && family !== undefined ? family : specified;
          it(`${status} ${error}: ${when}`, async () => {
            const options = token === undefined ? {} : { authorization: stand.headers[token] };
            const reply = await stand.client.call(method, path, send, options);
            exercised.add(row);
            const answered = [reply.status, reply.body.error ?? 0] as const;
            expect(answered, reply.text.slice(0, 300)).to.deep.equal([status, codeOf(error)]);
            if (error !== 0) expect(reply.body.message, 'why').to.match(sentence);
            if (index !== undefined) expect(reply.body.index, 'index').to.equal(index);
            const listed = document.paths[`/api/v2${path}`]?.[method.toLowerCase()]?.responses;
            expect(listed?.[answered[0]]?.['x-codes'], 'statuses and codes of the document').to.have.property(
              String(answered[1]),
            );
          });
        }
      });
    }

    for (const [endpoint, body] of Object.entries(bodies)) {
      const [method, path] = endpoint.split(' ') as [Method, string];
      describe(`${endpoint} with a body that is wrong`, () => {
        const wrong: [what: string, data: Data][] = [
          ['no body', undefined],
          ['empty', ''],
          ['no JSON', '{'],
          ['an array', '[]'],
          ['a string', '"body"'],
          ['null', 'null'],
          ['a prototype', '{"__proto__": {"node": "plant"}}'],
          ...Object.keys(body).map((key): [string, Data] => [
            `without ${key}`,
            { ...body, [key]: undefined },
          ]),
          ...Object.entries(body).map(([key, value]): [string, Data] => [
            `${key} of another type`,
            { ...body, [key]: typeof value === 'string' ? 1 : 'text' },
          ]),
          ...Object.keys(body)
            // Null is what some clients send for a value they do not have.
            .map((key): [string, Data] => [`${key} null`, { ...body, [key]: null }]),
        ];
        for (const [what, data] of wrong) {
          it(`400 1002: ${what}`, async () => {
            const reply = await stand.client.call(method, path, data);
            expect({ status: reply.status, error: reply.body.error }, reply.text.slice(0, 300)).to.deep.equal(
              {
                status: 400,
                error: ErrorCode.BODY_INVALID,
              },
            );
            expect(reply.body.message, 'why').to.match(sentence);
          });
        }
      });
    }

    // In a suite of its own, because mocha runs the tests of a suite before the suites in it.
    describe('in the end', () => {
      it('every row was exercised', () => {
        expect(exercised.size).to.equal(total);
      });
    });
  });
}

describe('the conformance table covers section 4 of the specification', () => {
  for (const [endpoint, statuses] of Object.entries(section4)) {
    it(endpoint, () => {
      const rows = specification[endpoint] ?? [];
      for (const [status, codes] of Object.entries(statuses)) {
        for (const code of codes) {
          const isCovered = rows.some(
            ([, , rowStatus, error]) => rowStatus === Number(status) && codeOf(error) === code,
          );
          const reason = impossible(endpoint, code);
          expect(isCovered, `${status} ${code}${reason === undefined ? '' : `: ${reason}`}`).to.equal(
            reason === undefined,
          );
        }
      }
    });
  }
});
