import { expect } from 'chai';
import { errorTable } from '@tagway/schemas';
import { statusOf } from '../../src/http/reply.ts';

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
  ];
  for (const [endpoint, code, status] of cases) {
    it(`${code} of ${endpoint} is ${status}`, () => {
      expect(statusOf(endpoint, code)).to.equal(status);
    });
  }

  it('is that of the error table everywhere else', () => {
    for (const { code, status } of errorTable) expect(statusOf('GET /api/v2/version', code)).to.equal(status);
  });
});
