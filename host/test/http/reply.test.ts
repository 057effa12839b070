import { expect } from 'chai';
import { type Compatibility, errorTable, profiles } from '@tagway/schemas';
import { answerOf } from '../../src/http/reply.ts';

describe('the status of a code', () => {
  const cases: [endpoint: string, code: number, status: number][] = [
    ['POST /api/v2/node/setting', 2003, 400],
    ['POST /api/v2/node/setting', 2004, 400],
    ['GET /api/v2/node/setting', 2003, 404],
    ['GET /api/v2/node/setting', 2005, 200],
    ['POST /api/v2/node/ctl', 2009, 409],
    ['POST /api/v2/group', 2103, 409],
    ['DELETE /api/v2/group', 2101, 412],
    ['POST /api/v2/subscribe', 2101, 200],
    ['POST /api/v2/subscribes', 2101, 200],
    ['PUT /api/v2/subscribe', 2106, 404],
    ['POST /api/v2/tags', 2202, 206],
    ['PUT /api/v2/tags', 2201, 206],
    ['POST /api/v2/tags', 2209, 206],
    ['POST /api/v2/tags', 2003, 404],
    ['POST /api/v2/write', 2201, 404],
    ['POST /api/v2/write', 3007, 200],
    ['POST /api/v2/write', 3020, 200],
    ['POST /api/v2/write/tags', 3017, 200],
    ['POST /api/v2/password', 1012, 401],
    ['POST /api/v2/password', 1013, 401],
    ['POST /api/v2/login', 1009, 401],
    ['POST /api/v2/write', 10_001, 200],
    ['POST /api/v2/write', 9_999, 500],
    ['POST /api/v2/template/tag', 2201, 206],
    ['POST /api/v2/template/tag', 2202, 409],
    ['DELETE /api/v2/template/tag', 2206, 206],
  ];
  for (const [endpoint, code, status] of cases) {
    it(`${code} of ${endpoint} is ${status}`, () => {
      expect(answerOf(profiles.specification, endpoint, code)).to.deep.equal({ status, code });
    });
  }

  const family: [endpoint: string, code: number, status: number, shown?: number][] = [
    ['POST /api/v2/tags', 2202, 409],
    ['PUT /api/v2/tags', 2201, 404],
    ['POST /api/v2/tags', 2205, 400],
    ['POST /api/v2/node/setting', 2003, 404],
    ['POST /api/v2/password', 1012, 400],
    ['POST /api/v2/write', 3007, 400],
    ['POST /api/v2/write', 3010, 200],
    ['POST /api/v2/write/tags', 3020, 400],
    ['POST /api/v2/write/tags', 3017, 404],
    ['PUT /api/v2/subscribe', 2106, 404, 2102],
    ['POST /api/v2/subscribe', 2106, 404],
    ['POST /api/v2/subscribe', 2105, 200, 4010],
    ['POST /api/v2/subscribe', 2101, 200],
    ['POST /api/v2/template/tag', 2205, 200],
    ['POST /api/v2/template/tag', 2206, 206],
    ['POST /api/v2/template', 2205, 206],
    ['GET /api/v2/version', 1008, 403, 1007],
  ];
  for (const [endpoint, code, status, shown = code] of family) {
    it(`${code} of ${endpoint} is ${status} ${shown} for clients of the family`, () => {
      expect(answerOf(profiles.family, endpoint, code)).to.deep.equal({ status, code: shown });
    });
  }

  for (const name of Object.keys(profiles) as Compatibility[]) {
    it(`is 401 or 403 for session problems only under ${name}`, () => {
      const session = ['POST /api/v2/login', 'POST /api/v2/password', 'GET /api/v2/version'];
      for (const endpoint of [...session, 'POST /api/v2/node', 'POST /api/v2/users', 'PUT /api/v2/tags']) {
        for (const { code } of errorTable) {
          const { status } = answerOf(profiles[name], endpoint, code);
          const isSession = code >= 1004 && code <= 1009;
          const isPassword = endpoint === 'POST /api/v2/password' && (code === 1012 || code === 1013);
          if (status === 401 || status === 403) expect(isSession || isPassword, `${code}`).to.equal(true);
        }
      }
    });
  }

  it('is that of the error table everywhere else', () => {
    for (const { code, status } of errorTable) {
      const { status: answered } = answerOf(profiles.specification, 'GET /api/v2/version', code);
      expect(answered).to.equal(status);
    }
  });
});
