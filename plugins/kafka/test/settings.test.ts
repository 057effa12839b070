import { problemsBy } from '@tagway/store/test';
import { expect } from 'chai';
import { checkSettings } from '../src/settings.ts';
import { settingsOf } from './nodes.ts';

const problemOf = problemsBy(settingsOf, checkSettings, { brokers: 'kafka1:9092, [::1]:9092' });

describe('the settings of a Kafka node', () => {
  it('are taken with defaults', () => {
    expect(problemOf({})).to.equal(undefined);
    expect(problemOf({ format: 2, template: '{value}', topic: '{tag}', message_key: '' })).to.equal(
      undefined,
    );
    expect(problemOf({ sasl: 2, username: 'u', password: 'p' })).to.equal(undefined);
  });

  for (const [params, problem] of [
    [{ brokers: 'kafka' }, /"brokers" is "kafka": enter host and port of each broker/],
    [{ brokers: 'kafka:9092,' }, /"brokers"/],
    [{ brokers: 'http://kafka:9092' }, /"brokers"/],
    [{ topic: '{what}' }, /"topic" is not a template/],
    [{ topic: '{tag}' }, /"topic" has a placeholder of a tag, and a record is about a whole sample/],
    [{ message_key: '{tag}' }, /"message_key" has a placeholder of a tag/],
    [{ format: 2 }, /template/],
    [{ format: 2, template: 'no tag' }, /"template" is not a template/],
    [{ sasl: 1 }, /"sasl" needs "username"/],
    [{ sasl: 1, username: 'u' }, /"sasl" needs "password"/],
    [{ sasl: 4, 'token-url': 'ftp://login', 'oauth-client': 'u', 'client-secret': 's' }, /"token-url"/],
    [{ ssl: true, ca: 'AAAA' }, /"ca"/],
  ] as const)
    it(`are refused as ${JSON.stringify(params)}`, () => {
      expect(problemOf(params)).to.match(problem);
    });
});
