import { dialectNames, ErrorCode } from '@tagway/schemas';
import { expect } from 'chai';
import type { Data, Method } from '../kit/client.ts';
import { bodies, specification } from '../conformance/index.ts';
import { codeOf, type ConformanceRow } from '../conformance/rows.ts';
import { impossible, section4 } from '../conformance/section-4.ts';
import { openFixture } from '../conformance/fixture.ts';
import type { Fixture } from '../conformance/fixture.ts';
import { restartsWith } from '../kit/libraries.ts';

interface Document {
  readonly paths: Record<
    string,
    Record<string, { readonly responses: Record<string, { readonly 'x-codes'?: Record<string, string> }> }>
  >;
}

const total = Object.values(specification).flat(2).length;

/** What a refusal says beside its code. */
const sentence = /^[A-Z\d/"].*[.)?]$/s;

for (const dialect of dialectNames) {
  describe(`conformance, ${dialect}`, function () {
    this.timeout(60_000);
    let fixture: Fixture;
    let document: Document;
    const exercised = new Set<ConformanceRow>();

    before(async () => {
      fixture = await openFixture(dialect);
      document = await fixture.client.ok<Document>('GET', '/openapi.json');
    });
    after(() => fixture?.[Symbol.asyncDispose]());

    for (const [endpoint, rows] of Object.entries(specification)) {
      const [method, path] = endpoint.split(' ') as [Method, string];
      describe(endpoint, () => {
        for (const row of rows.flat()) {
          const { when, send, index, family, token } = row;
          const { status, error } = dialect === 'family' && family !== undefined ? family : row;
          it(`${status} ${error}: ${when}`, async () => {
            const options = token === undefined ? {} : { authorization: fixture.headers[token] };
            const reply = await fixture.client.call(method, path, send, options);
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
          ...Object.entries(body).flatMap(([key, value]): [string, Data][] => [
            [`without ${key}`, { ...body, [key]: undefined }],
            [`${key} of another type`, { ...body, [key]: typeof value === 'string' ? 1 : 'text' }],
            // Null is what some clients send for a value they do not have. Settings that are null have a row.
            ...(key === 'params' && path === '/node/setting'
              ? []
              : [[`${key} null`, { ...body, [key]: null }] satisfies [string, Data]]),
          ]),
        ];
        for (const [what, data] of wrong) {
          it(`400 1002: ${what}`, async () => {
            const reply = await fixture.client.call(method, path, data);
            const answered = { status: reply.status, error: reply.body.error };
            const refused = { status: 400, error: ErrorCode.BODY_INVALID };
            expect(answered, reply.text.slice(0, 300)).to.deep.equal(refused);
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

      it('the node of a plugin of a third party runs again after a restart', () =>
        restartsWith(fixture.gateway, fixture.client, 'single', 'line'));
    });
  });
}

describe('the conformance table covers section 4 of the specification', () => {
  for (const [endpoint, statuses] of Object.entries(section4)) {
    it(endpoint, () => {
      const rows = specification[endpoint]?.flat() ?? [];
      for (const [status, codes] of Object.entries(statuses)) {
        for (const code of codes) {
          const isCovered = rows.some((row) => row.status === Number(status) && codeOf(row.error) === code);
          const reason = impossible(endpoint, code);
          expect(isCovered, `${status} ${code}${reason === undefined ? '' : `: ${reason}`}`).to.equal(
            reason === undefined,
          );
        }
      }
    });
  }
});
