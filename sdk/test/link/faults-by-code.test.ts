import { expect } from 'chai';
import { ErrorCode, Fault } from '@tagway/sdk';
import { faultsByCode } from '@tagway/sdk/link';

describe('faults by code', () => {
  it('are one object for each code, up to as many as a device can mean', () => {
    const made: number[] = [];
    const faultOf = faultsByCode((code) => {
      made.push(code);
      return new Fault(ErrorCode.READ_FAILED, `The device refused with ${code}.`);
    });
    for (let code = 0; code < 1000; code++) expect(faultOf(code).message).to.contain(` ${code}.`);
    expect(faultOf(5)).to.equal(faultOf(5));
    expect(made, 'the first ones were kept').to.have.lengthOf(1000);
    expect(faultOf(999)).to.not.equal(faultOf(999));
  });
});
