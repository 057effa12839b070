/**
 * The usual objects of agents, so that their names work without MIB files: SNMPv2-MIB, IF-MIB, IP-MIB, HOST-RESOURCES-MIB, ENTITY-MIB,
 * ENTITY-SENSOR-MIB, UPS-MIB, POWER-ETHERNET-MIB, Printer-MIB, UCD-SNMP-MIB. One object a line: its name, where it is, its syntax if it holds a value, and its unit.
 * Objects below a name that ends in `Entry` are columns of a table, others have the instance 0.
 */
export const usualObjects = `
system mib-2.1
sysDescr system.1 text
sysObjectID system.2 oid
sysUpTime system.3 TimeTicks
sysContact system.4 text
sysName system.5 text
sysLocation system.6 text
sysServices system.7 Integer32
interfaces mib-2.2
ifNumber interfaces.1 Integer32
ifTable interfaces.2
ifEntry ifTable.1
ifIndex ifEntry.1 Integer32
ifDescr ifEntry.2 text
ifType ifEntry.3 Integer32
ifMtu ifEntry.4 Integer32
ifSpeed ifEntry.5 Gauge32 bit/s
ifPhysAddress ifEntry.6 hex
ifAdminStatus ifEntry.7 {up(1),down(2),testing(3)}
ifOperStatus ifEntry.8 {up(1),down(2),testing(3),unknown(4),dormant(5),notPresent(6),lowerLayerDown(7)}
ifLastChange ifEntry.9 TimeTicks
ifInOctets ifEntry.10 Counter32 B
ifInUcastPkts ifEntry.11 Counter32
ifInDiscards ifEntry.13 Counter32
ifInErrors ifEntry.14 Counter32
ifInUnknownProtos ifEntry.15 Counter32
ifOutOctets ifEntry.16 Counter32 B
ifOutUcastPkts ifEntry.17 Counter32
ifOutDiscards ifEntry.19 Counter32
ifOutErrors ifEntry.20 Counter32
ip mib-2.4
ipForwarding ip.1 {forwarding(1),notForwarding(2)}
ipInReceives ip.3 Counter32
ipAddrTable ip.20
ipAddrEntry ipAddrTable.1
ipAdEntAddr ipAddrEntry.1 IpAddress
ipAdEntIfIndex ipAddrEntry.2 Integer32
ipAdEntNetMask ipAddrEntry.3 IpAddress
transmission mib-2.10
snmp mib-2.11
snmpInPkts snmp.1 Counter32
snmpOutPkts snmp.2 Counter32
snmpEnableAuthenTraps snmp.30 {enabled(1),disabled(2)}
host mib-2.25
hrSystem host.1
hrSystemUptime hrSystem.1 TimeTicks
hrSystemDate hrSystem.2 DateAndTime
hrSystemNumUsers hrSystem.5 Gauge32
hrSystemProcesses hrSystem.6 Gauge32
hrStorage host.2
hrMemorySize hrStorage.2 Integer32 KiB
hrStorageTable hrStorage.3
hrStorageEntry hrStorageTable.1
hrStorageIndex hrStorageEntry.1 Integer32
hrStorageType hrStorageEntry.2 oid
hrStorageDescr hrStorageEntry.3 text
hrStorageAllocationUnits hrStorageEntry.4 Integer32 B
hrStorageSize hrStorageEntry.5 Integer32
hrStorageUsed hrStorageEntry.6 Integer32
hrDevice host.3
hrDeviceTable hrDevice.2
hrDeviceEntry hrDeviceTable.1
hrDeviceIndex hrDeviceEntry.1 Integer32
hrDeviceDescr hrDeviceEntry.3 text
hrDeviceStatus hrDeviceEntry.5 {unknown(1),running(2),warning(3),testing(4),down(5)}
hrProcessorTable hrDevice.3
hrProcessorEntry hrProcessorTable.1
hrProcessorLoad hrProcessorEntry.2 Integer32 %
ifMIB mib-2.31
ifMIBObjects ifMIB.1
ifXTable ifMIBObjects.1
ifXEntry ifXTable.1
ifName ifXEntry.1 text
ifInMulticastPkts ifXEntry.2 Counter32
ifInBroadcastPkts ifXEntry.3 Counter32
ifOutMulticastPkts ifXEntry.4 Counter32
ifOutBroadcastPkts ifXEntry.5 Counter32
ifHCInOctets ifXEntry.6 Counter64 B
ifHCInUcastPkts ifXEntry.7 Counter64
ifHCInMulticastPkts ifXEntry.8 Counter64
ifHCInBroadcastPkts ifXEntry.9 Counter64
ifHCOutOctets ifXEntry.10 Counter64 B
ifHCOutUcastPkts ifXEntry.11 Counter64
ifHCOutMulticastPkts ifXEntry.12 Counter64
ifHCOutBroadcastPkts ifXEntry.13 Counter64
ifLinkUpDownTrapEnable ifXEntry.14 {enabled(1),disabled(2)}
ifHighSpeed ifXEntry.15 Gauge32 Mbit/s
ifPromiscuousMode ifXEntry.16 TruthValue
ifConnectorPresent ifXEntry.17 TruthValue
ifAlias ifXEntry.18 text
ifCounterDiscontinuityTime ifXEntry.19 TimeTicks
upsMIB mib-2.33
upsObjects upsMIB.1
upsIdent upsObjects.1
upsIdentManufacturer upsIdent.1 text
upsIdentModel upsIdent.2 text
upsIdentUPSSoftwareVersion upsIdent.3 text
upsIdentName upsIdent.5 text
upsBattery upsObjects.2
upsBatteryStatus upsBattery.1 {unknown(1),batteryNormal(2),batteryLow(3),batteryDepleted(4)}
upsSecondsOnBattery upsBattery.2 Integer32 s
upsEstimatedMinutesRemaining upsBattery.3 Integer32 min
upsEstimatedChargeRemaining upsBattery.4 Integer32 %
upsBatteryVoltage upsBattery.5 Integer32 0.1V
upsBatteryCurrent upsBattery.6 Integer32 0.1A
upsBatteryTemperature upsBattery.7 Integer32 °C
upsInput upsObjects.3
upsInputLineBads upsInput.1 Counter32
upsInputNumLines upsInput.2 Integer32
upsInputTable upsInput.3
upsInputEntry upsInputTable.1
upsInputLineIndex upsInputEntry.1 Integer32
upsInputFrequency upsInputEntry.2 Integer32 0.1Hz
upsInputVoltage upsInputEntry.3 Integer32 V
upsInputCurrent upsInputEntry.4 Integer32 0.1A
upsInputTruePower upsInputEntry.5 Integer32 W
upsOutput upsObjects.4
upsOutputSource upsOutput.1 {other(1),none(2),normal(3),bypass(4),battery(5),booster(6),reducer(7)}
upsOutputFrequency upsOutput.2 Integer32 0.1Hz
upsOutputNumLines upsOutput.3 Integer32
upsOutputTable upsOutput.4
upsOutputEntry upsOutputTable.1
upsOutputLineIndex upsOutputEntry.1 Integer32
upsOutputVoltage upsOutputEntry.2 Integer32 V
upsOutputCurrent upsOutputEntry.3 Integer32 0.1A
upsOutputPower upsOutputEntry.4 Integer32 W
upsOutputPercentLoad upsOutputEntry.5 Integer32 %
upsAlarm upsObjects.6
upsAlarmsPresent upsAlarm.1 Gauge32
upsTest upsObjects.7
upsTestResultsSummary upsTest.3 {donePass(1),doneWarning(2),doneError(3),aborted(4),inProgress(5),noTestsInitiated(6)}
upsControl upsObjects.8
upsShutdownType upsControl.1 {output(1),system(2)}
upsShutdownAfterDelay upsControl.2 Integer32 s
upsStartupAfterDelay upsControl.3 Integer32 s
upsAutoRestart upsControl.5 {on(1),off(2)}
upsTraps upsMIB.2
upsTrapOnBattery upsTraps.1
upsTrapTestCompleted upsTraps.2
upsTrapAlarmEntryAdded upsTraps.3
upsTrapAlarmEntryRemoved upsTraps.4
printmib mib-2.43
prtMarkerSupplies printmib.11
prtMarkerSuppliesTable prtMarkerSupplies.1
prtMarkerSuppliesEntry prtMarkerSuppliesTable.1
prtMarkerSuppliesDescription prtMarkerSuppliesEntry.6 text
prtMarkerSuppliesMaxCapacity prtMarkerSuppliesEntry.8 Integer32
prtMarkerSuppliesLevel prtMarkerSuppliesEntry.9 Integer32
entityMIB mib-2.47
entityMIBObjects entityMIB.1
entityPhysical entityMIBObjects.1
entPhysicalTable entityPhysical.1
entPhysicalEntry entPhysicalTable.1
entPhysicalIndex entPhysicalEntry.1 Integer32
entPhysicalDescr entPhysicalEntry.2 text
entPhysicalName entPhysicalEntry.7 text
entPhysicalHardwareRev entPhysicalEntry.8 text
entPhysicalFirmwareRev entPhysicalEntry.9 text
entPhysicalSoftwareRev entPhysicalEntry.10 text
entPhysicalSerialNum entPhysicalEntry.11 text
entPhysicalMfgName entPhysicalEntry.12 text
entPhysicalModelName entPhysicalEntry.13 text
entitySensorMIB mib-2.99
entitySensorObjects entitySensorMIB.1
entPhySensorTable entitySensorObjects.1
entPhySensorEntry entPhySensorTable.1
entPhySensorType entPhySensorEntry.1 {other(1),unknown(2),voltsAC(3),voltsDC(4),amperes(5),watts(6),hertz(7),celsius(8),percentRH(9),rpm(10),cmm(11),truthvalue(12)}
entPhySensorScale entPhySensorEntry.2 {yocto(1),zepto(2),atto(3),femto(4),pico(5),nano(6),micro(7),milli(8),units(9),kilo(10),mega(11),giga(12),tera(13),exa(14),peta(15),zetta(16),yotta(17)}
entPhySensorPrecision entPhySensorEntry.3 Integer32
entPhySensorValue entPhySensorEntry.4 Integer32
entPhySensorOperStatus entPhySensorEntry.5 {ok(1),unavailable(2),nonoperational(3)}
entPhySensorUnitsDisplay entPhySensorEntry.6 text
powerEthernetMIB mib-2.105
pethObjects powerEthernetMIB.1
pethPsePortTable pethObjects.1
pethPsePortEntry pethPsePortTable.1
pethPsePortAdminEnable pethPsePortEntry.3 TruthValue
pethPsePortDetectionStatus pethPsePortEntry.6 {disabled(1),searching(2),deliveringPower(3),fault(4),test(5),otherFault(6)}
ucdavis enterprises.2021
memory ucdavis.4
memTotalSwap memory.3 Integer32 KiB
memAvailSwap memory.4 Integer32 KiB
memTotalReal memory.5 Integer32 KiB
memAvailReal memory.6 Integer32 KiB
memTotalFree memory.11 Integer32 KiB
laTable ucdavis.10
laEntry laTable.1
laIndex laEntry.1 Integer32
laNames laEntry.2 text
laLoad laEntry.3 text
laLoadInt laEntry.5 Integer32
laLoadFloat laEntry.6 Opaque
systemStats ucdavis.11
ssCpuUser systemStats.9 Integer32 %
ssCpuSystem systemStats.10 Integer32 %
ssCpuIdle systemStats.11 Integer32 %
snmpMIB snmpModules.1
snmpMIBObjects snmpMIB.1
snmpTrap snmpMIBObjects.4
snmpTrapOID snmpTrap.1 oid
snmpTrapEnterprise snmpTrap.3 oid
snmpTraps snmpMIBObjects.5
coldStart snmpTraps.1
warmStart snmpTraps.2
linkDown snmpTraps.3
linkUp snmpTraps.4
authenticationFailure snmpTraps.5
egpNeighborLoss snmpTraps.6
snmpFrameworkMIB snmpModules.10
snmpFrameworkMIBObjects snmpFrameworkMIB.2
snmpEngine snmpFrameworkMIBObjects.1
snmpEngineID snmpEngine.1 hex
snmpEngineBoots snmpEngine.2 Integer32
snmpEngineTime snmpEngine.3 Integer32 s
snmpEngineMaxMessageSize snmpEngine.4 Integer32
`;
