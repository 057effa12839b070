import { checkTag, countRequests, ModbusDriver } from '@tagway/modbus';
import { driver } from '@tagway/sdk';
import { checkWire, LinkKind, wireOf } from '@tagway/serial';
import { RtuSession } from './session.ts';
import type { Settings } from './settings.ts';

export default driver<Settings>({
  create: (context) => {
    const { node, settings } = context;
    // A port that is gone is not back in a moment; a connection may be.
    const grace = settings.link === LinkKind.TCP ? settings.timeout : 0;
    const wire = wireOf(node, settings, 0, { context, protocol: 'Modbus RTU over TCP' });
    return new ModbusDriver(context, (events) => new RtuSession(context, settings, wire, grace, events));
  },
  checkTag,
  countRequests,
  checkSettings: checkWire,
});
