import { expect } from 'chai';
import { problemsBy } from '@tagway/store/test';
import { checkSettings } from '../src/settings.ts';
import { settingsOf } from './nodes.ts';

const problem = problemsBy(settingsOf, checkSettings, { url: 'https://collector.example.com/samples?a=1' });

describe('settings of an HTTP node', () => {
  it('need an address alone', () => {
    expect(problem({})).to.equal(undefined);
    expect(problem({ url: 'collector' })).to.include('"url" is not an address');
    expect(problem({ url: 'mqtt://collector' })).to.include('has to begin with http:// or https://');
    expect(problem({ url: 'http://user:pw@collector' })).to.include(
      'write user and password into their own settings',
    );
    expect(problem({ proxy: 'socks://proxy' })).to.include('"proxy" is not the address of a proxy');
  });

  it('have a login that fits', () => {
    expect(problem({ auth: 2 })).to.include('token');
    expect(problem({ auth: 2, token: 'a\r\nb' })).to.include('cannot have');
    expect(problem({ auth: 3, header: 'X Key', 'header-value': 'a' })).to.include(
      'cannot be the name of a header',
    );
    expect(problem({ auth: 3, header: 'Host', 'header-value': 'a' })).to.include('writes itself');
    expect(
      problem({ auth: 4, 'token-url': 'nowhere', 'oauth-client': 'a', 'client-secret': 'b' }),
    ).to.include('"token-url"');
  });

  it('have a template that is one', () => {
    const template = (text: string): string | undefined => problem({ format: 2, template: text });
    expect(template('{"{tag}":{value}}')).to.equal(undefined);
    expect(template('{"a":{vlaue}}')).to.include('"{vlaue}" is not a placeholder; there are {app}, {driver}');
    expect(template('{"a":1}')).to.include('nothing of a tag is in it');
  });

  it('have a cache that fits', () => {
    expect(problem({ 'cache-mem-size': 100, 'cache-disk-size': 50 })).to.include('"cache-mem-size"');
    expect(problem({ 'cache-mem-size': 1, 'batch-size': 2000 })).to.include('"batch-size"');
  });
});
