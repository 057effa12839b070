import { expect } from 'chai';
import {
  type DialectName,
  ErrorCode,
  errorTable,
  dialects,
  type PlanTagsReply,
  type TagsBatchReply,
} from '@tagway/schemas';
import { answerOf } from '../../src/http/reply.ts';
import type { Route } from '../../src/http/route.ts';
import { startApi, type Fixture } from './fixture.ts';

describe('the status of a code', () => {
  let api: Fixture;
  before(async () => (api = await startApi()));
  after(() => api.close());
  const route = (name: string): Route => {
    const found = api.routes.find((one) => one.name === name);
    if (found === undefined) throw new Error(`There is no endpoint ${name}.`);
    return found;
  };

  const cases: [endpoint: string, code: number, status: number][] = [
    ['POST /api/v2/node/setting', ErrorCode.NODE_NOT_FOUND, 400],
    ['POST /api/v2/node/setting', ErrorCode.NODE_SETTING_INVALID, 400],
    ['GET /api/v2/node/setting', ErrorCode.NODE_NOT_FOUND, 404],
    ['GET /api/v2/node/setting', ErrorCode.NODE_SETTING_NOT_FOUND, 200],
    ['POST /api/v2/node/ctl', ErrorCode.NODE_IS_STOPPED, 409],
    ['POST /api/v2/group', ErrorCode.GROUP_NOT_ALLOWED, 409],
    ['DELETE /api/v2/group', ErrorCode.GROUP_SUBSCRIBED, 412],
    ['POST /api/v2/subscribe', ErrorCode.GROUP_SUBSCRIBED, 200],
    ['POST /api/v2/subscribes', ErrorCode.GROUP_SUBSCRIBED, 200],
    ['PUT /api/v2/subscribe', ErrorCode.GROUP_NOT_FOUND, 404],
    ['POST /api/v2/tags', ErrorCode.TAG_NAME_CONFLICT, 206],
    ['PUT /api/v2/tags', ErrorCode.TAG_NOT_FOUND, 206],
    ['POST /api/v2/tags', ErrorCode.TAG_PRECISION_INVALID, 206],
    ['POST /api/v2/tags', ErrorCode.NODE_NOT_FOUND, 404],
    ['POST /api/v2/write', ErrorCode.TAG_NOT_FOUND, 404],
    ['POST /api/v2/write', ErrorCode.TYPE_MISMATCH, 200],
    ['POST /api/v2/write', ErrorCode.VALUE_OUT_OF_RANGE, 200],
    ['POST /api/v2/write/tags', ErrorCode.WRITE_TAGS_UNSUPPORTED, 200],
    ['POST /api/v2/password', ErrorCode.PASSWORD_LENGTH, 401],
    ['POST /api/v2/password', ErrorCode.PASSWORD_DUPLICATE, 401],
    ['POST /api/v2/login', ErrorCode.CREDENTIALS_INVALID, 401],
    ['POST /api/v2/write', 10_001, 200],
    ['POST /api/v2/write', 9_999, 500],
    ['POST /api/v2/template/tag', ErrorCode.TAG_NOT_FOUND, 206],
    ['POST /api/v2/template/tag', ErrorCode.TAG_NAME_CONFLICT, 409],
    ['DELETE /api/v2/template/tag', ErrorCode.TAG_NAME_TOO_LONG, 206],
  ];
  for (const [endpoint, code, status] of cases) {
    it(`${code} of ${endpoint} is ${status}`, () => {
      expect(answerOf(dialects.specification, route(endpoint), code)).to.deep.equal({ status, code });
    });
  }

  const family: [endpoint: string, code: number, status: number, shown?: number][] = [
    ['POST /api/v2/tags', ErrorCode.TAG_NAME_CONFLICT, 409],
    ['PUT /api/v2/tags', ErrorCode.TAG_NOT_FOUND, 404],
    ['POST /api/v2/tags', ErrorCode.TAG_ADDRESS_INVALID, 400],
    ['POST /api/v2/node/setting', ErrorCode.NODE_NOT_FOUND, 404],
    ['POST /api/v2/password', ErrorCode.PASSWORD_LENGTH, 400],
    ['POST /api/v2/write', ErrorCode.TYPE_MISMATCH, 400],
    ['POST /api/v2/write', ErrorCode.NOT_RUNNING, 200],
    ['POST /api/v2/write/tags', ErrorCode.VALUE_OUT_OF_RANGE, 400],
    ['POST /api/v2/write/tags', ErrorCode.WRITE_TAGS_UNSUPPORTED, 404],
    ['PUT /api/v2/subscribe', ErrorCode.GROUP_NOT_FOUND, 404, ErrorCode.GROUP_NOT_SUBSCRIBED],
    ['POST /api/v2/subscribe', ErrorCode.GROUP_NOT_FOUND, 404],
    ['POST /api/v2/subscribe', ErrorCode.GROUP_PARAM_INVALID, 200, ErrorCode.MQTT_TOPIC_EMPTY],
    ['POST /api/v2/subscribe', ErrorCode.GROUP_SUBSCRIBED, 200],
    ['POST /api/v2/template/tag', ErrorCode.TAG_ADDRESS_INVALID, 200],
    ['POST /api/v2/template/tag', ErrorCode.TAG_NAME_TOO_LONG, 206],
    ['POST /api/v2/template', ErrorCode.TAG_ADDRESS_INVALID, 206],
    ['GET /api/v2/version', ErrorCode.TOKEN_INVALID, 403, ErrorCode.TOKEN_NOT_VALID],
  ];
  for (const [endpoint, code, status, shown = code] of family) {
    it(`${code} of ${endpoint} is ${status} ${shown} for clients of the family`, () => {
      expect(answerOf(dialects.family, route(endpoint), code)).to.deep.equal({ status, code: shown });
    });
  }

  for (const name of Object.keys(dialects) as DialectName[]) {
    it(`is 401 or 403 for sessions and roles alone under ${name}`, () => {
      const session = ['POST /api/v2/login', 'POST /api/v2/password', 'GET /api/v2/version'];
      for (const endpoint of [...session, 'POST /api/v2/node', 'POST /api/v2/users', 'PUT /api/v2/tags']) {
        for (const { code } of errorTable) {
          const { status } = answerOf(dialects[name], route(endpoint), code);
          const isSession = code >= ErrorCode.TOKEN_MISSING && code <= ErrorCode.CREDENTIALS_INVALID;
          const isPassword =
            endpoint === 'POST /api/v2/password' &&
            (code === ErrorCode.PASSWORD_LENGTH || code === ErrorCode.PASSWORD_DUPLICATE);
          const isRole = dialects[name].hasRoles && code === ErrorCode.USER_NOT_PERMITTED;
          // Somebody who is not known has tried to prove who they are in another way.
          const isOutside = code === ErrorCode.WEBHOOK_REFUSED || code === ErrorCode.SIGN_IN_REFUSED;
          if (status === 401 || status === 403)
            expect(isSession || isPassword || isRole || isOutside, `${code}`).to.equal(true);
        }
      }
    });
  }

  it('is that of the error table everywhere else', () => {
    for (const { code, status } of errorTable) {
      const { status: answered } = answerOf(dialects.specification, route('GET /api/v2/version'), code);
      expect(answered).to.equal(status);
    }
  });
});

describe('the sentence of a refusal', () => {
  let api: Fixture;
  before(async () => {
    api = await startApi();
    await api.call('POST /api/v2/node', { name: 'd', plugin: 'Test Driver', params: { port: 1 } });
    await api.call('POST /api/v2/group', { node: 'd', group: 'g', interval: 1000 });
  });
  after(() => api.close());

  const asked = async (language?: string): Promise<object> => {
    const headers = language === undefined ? {} : { 'Accept-Language': language };
    const { text } = await api.call('POST /api/v2/group', { node: 'd', group: 'g', interval: 1 }, headers);
    return JSON.parse(text) as object;
  };
  const message = 'The interval of a group is from 100 to 4294967295 milliseconds.';

  it('is the English one alone for those who read English, or who say nothing about it', async () => {
    for (const language of [undefined, '*', 'en', 'en-GB,zh;q=0.5'])
      expect(await asked(language), language).to.deep.equal({
        error: ErrorCode.GROUP_PARAM_INVALID,
        message,
      });
  });

  it('comes with what it is made of for others', async () => {
    const text = 'The interval of a group is from {0} to {1} milliseconds.';
    const sentence = { text, values: [100, 4294967295] };
    for (const language of ['zh-CN', 'de, en;q=0.5'])
      expect(await asked(language), language).to.deep.equal({
        error: ErrorCode.GROUP_PARAM_INVALID,
        message,
        sentence,
      });
  });

  it('may hold sentences, also that of a row', async () => {
    const tags = [{ name: 't', address: '1', attribute: 1, type: 3, precision: 99 }];
    const headers = { 'Accept-Language': 'zh' };
    const planned = await api.call('POST /api/v2/tags/plan', { node: 'd', group: 'g', tags }, headers);
    const [problem] = (JSON.parse(planned.text) as PlanTagsReply).problems;
    expect(problem?.message).to.equal('The tag "t" has a precision of 99; it is an integer of 0 to 17.');
    const within = { text: 'has a precision of {0}; it is an integer of 0 to {1}.', values: [99, 17] };
    expect(problem?.sentence).to.deep.equal({ text: 'The tag "{0}" {1}', values: ['t', within] });
    const added = await api.call('POST /api/v2/tags', { node: 'd', group: 'g', tags }, headers);
    const ended = JSON.parse(added.text) as TagsBatchReply;
    expect(ended.sentence?.text).to.equal('{0} (tags[{1}])');
    expect(ended.message).to.equal(`${problem?.message} (tags[0])`);
  });
});
