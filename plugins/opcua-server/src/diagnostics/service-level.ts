import { type DriverState, LinkState, RunningState } from '@tagway/sdk';
import type { AddressSpace, UAVariable } from 'node-opcua-address-space';
import { DataType, Variant } from 'node-opcua-variant';

/** The range for a server that works (OPC 10000-4, 6.6.2.4.2): 255 with all data, down to this with none. */
const healthyLeast = 200;
const healthyMost = 255;
/** It has no data, as the standby of a pair (OPC 10000-4, 6.6.2.4.2). */
const noData = 1;

/** How much of the plant clients get here, for those that choose between servers. */
export class ServiceLevel {
  #level = healthyMost;

  driversChanged(states: readonly DriverState[]): void {
    const running = states.filter(({ running }) => running === RunningState.RUNNING);
    const good = running.filter(({ link }) => link === LinkState.CONNECTED).length;
    const share = states.length === 0 ? 1 : good / states.length;
    this.#level = healthyLeast + Math.floor((healthyMost - healthyLeast) * share);
  }

  /** `isStandby`: whether this gateway is the standby of a pair at this moment. */
  bind(space: AddressSpace, isStandby: () => boolean): void {
    const server = space.rootFolder.objects.server as unknown as { readonly serviceLevel: UAVariable };
    server.serviceLevel.bindVariable(
      {
        get: () => new Variant({ dataType: DataType.Byte, value: isStandby() ? noData : this.#level }),
      },
      true,
    );
  }
}
