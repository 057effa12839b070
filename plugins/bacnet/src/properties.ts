/** Object types of this driver by the area of an address (ANSI/ASHRAE 135, BACnetObjectType). */
export const areas: Readonly<Record<string, number>> = {
  AI: 0,
  AO: 1,
  AV: 2,
  BI: 3,
  BO: 4,
  BV: 5,
  DEV: 8,
  MSI: 13,
  MSO: 14,
  MSV: 19,
  ACC: 23,
};

export const areaNames: ReadonlyMap<number, string> = new Map(
  Object.entries(areas).map(([name, type]) => [type, name]),
);

export const ObjectType = { DEVICE: 8 } as const;

/** The instance by which a device is asked that is known by its address alone. */
export const anyInstance = 0x3f_ffff;

/** An object: type in the upper 10 bits, instance in the lower 22. */
export function objectOf(type: number, instance: number): number {
  return ((type << 22) | instance) >>> 0;
}

export function typeOf(object: number): number {
  return object >>> 22;
}

export function instanceOf(object: number): number {
  return object & 0x3f_ffff;
}

/** How the value of a property is written: `present` as the object's present value, `tag` as the type of the tag says. */
export type Wire = 'present' | 'real' | 'unsigned' | 'signed' | 'enumerated' | 'boolean' | 'text' | 'tag';

/** Numbers of properties that the driver itself needs (BACnetPropertyIdentifier). */
export const Property = {
  DESCRIPTION: 28,
  MAX_APDU: 62,
  OBJECT_IDENTIFIER: 75,
  OBJECT_LIST: 76,
  OBJECT_NAME: 77,
  PRESENT_VALUE: 85,
  SERVICES_SUPPORTED: 97,
  STATUS_FLAGS: 111,
  UNITS: 117,
  RESTART_TIME: 203,
  PROPERTY_LIST: 371,
} as const;

const table: readonly (readonly [name: string, number: number, wire: Wire])[] = [
  ['Present_Value', 85, 'present'],
  ['Acked_Transitions', 0, 'tag'],
  ['Active_Text', 4, 'text'],
  ['APDU_Segment_Timeout', 10, 'unsigned'],
  ['APDU_Timeout', 11, 'unsigned'],
  ['Application_Software_Version', 12, 'text'],
  ['Change_Of_State_Count', 15, 'unsigned'],
  ['COV_Increment', 22, 'real'],
  ['Daylight_Savings_Status', 24, 'boolean'],
  ['Deadband', 25, 'real'],
  ['Description', 28, 'text'],
  ['Device_Type', 31, 'text'],
  ['Elapsed_Active_Time', 33, 'unsigned'],
  ['Event_State', 36, 'enumerated'],
  ['Feedback_Value', 40, 'present'],
  ['Firmware_Revision', 44, 'text'],
  ['High_Limit', 45, 'real'],
  ['Inactive_Text', 46, 'text'],
  ['Local_Date', 56, 'tag'],
  ['Local_Time', 57, 'tag'],
  ['Location', 58, 'text'],
  ['Low_Limit', 59, 'real'],
  ['Max_APDU_Length_Accepted', 62, 'unsigned'],
  ['Max_Info_Frames', 63, 'unsigned'],
  ['Max_Master', 64, 'unsigned'],
  ['Max_Pres_Value', 65, 'present'],
  ['Minimum_Off_Time', 66, 'unsigned'],
  ['Minimum_On_Time', 67, 'unsigned'],
  ['Min_Pres_Value', 69, 'present'],
  ['Model_Name', 70, 'text'],
  ['Notification_Class', 17, 'unsigned'],
  ['Notify_Type', 72, 'enumerated'],
  ['Number_Of_APDU_Retries', 73, 'unsigned'],
  ['Number_Of_States', 74, 'unsigned'],
  ['Object_Identifier', 75, 'tag'],
  ['Object_List', 76, 'tag'],
  ['Object_Name', 77, 'text'],
  ['Object_Type', 79, 'enumerated'],
  ['Out_Of_Service', 81, 'boolean'],
  ['Polarity', 84, 'enumerated'],
  ['Prescale', 185, 'tag'],
  ['Priority_Array', 87, 'present'],
  ['Profile_Name', 168, 'text'],
  ['Protocol_Conformance_Class', 95, 'unsigned'],
  ['Protocol_Object_Types_Supported', 96, 'tag'],
  ['Protocol_Revision', 139, 'unsigned'],
  ['Protocol_Services_Supported', 97, 'tag'],
  ['Protocol_Version', 98, 'unsigned'],
  ['Pulse_Rate', 186, 'unsigned'],
  ['Reliability', 103, 'enumerated'],
  ['Relinquish_Default', 104, 'present'],
  ['Resolution', 106, 'real'],
  ['Scale', 187, 'tag'],
  ['Segmentation_Supported', 107, 'enumerated'],
  ['Serial_Number', 372, 'text'],
  ['State_Text', 110, 'text'],
  ['Status_Flags', 111, 'tag'],
  ['System_Status', 112, 'enumerated'],
  ['Time_Delay', 113, 'unsigned'],
  ['Units', 117, 'enumerated'],
  ['Update_Interval', 118, 'unsigned'],
  ['UTC_Offset', 119, 'signed'],
  ['Value_Before_Change', 190, 'unsigned'],
  ['Value_Change_Time', 192, 'tag'],
  ['Vendor_Identifier', 120, 'unsigned'],
  ['Vendor_Name', 121, 'text'],
];

/** Spellings that are in use for the same properties. */
const spellings: Readonly<Record<string, string>> = {
  object_tyep: 'Object_Type',
  max_info_frame: 'Max_Info_Frames',
  apud_timeout: 'APDU_Timeout',
  apud_segment_timeout: 'APDU_Segment_Timeout',
};

const byName = new Map(table.map(([name, number, wire]) => [name.toLowerCase(), { number, wire }]));
const nameByNumber = new Map(table.map(([name, number]) => [number, name]));

/** A property by its name, in upper or lower case. */
export function propertyNamed(name: string): { readonly number: number; readonly wire: Wire } | undefined {
  const key = name.toLowerCase();
  return byName.get((spellings[key] ?? key).toLowerCase());
}

export function propertyName(number: number): string | undefined {
  return nameByNumber.get(number);
}
