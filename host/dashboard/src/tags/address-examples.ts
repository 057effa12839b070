/** Addresses as the plugins' descriptions have them, by the plugins' schemas. */
const examples: Readonly<Record<string, readonly string[]>> = {
  'modbus-tcp': ['1!400001', '1!300011#BL', '2!000005', '1!400020.3', '1!400100.16'],
  'modbus-rtu': ['1!400001', '7!300011#BL', '2!000005'],
  s7comm: ['DB1.DBW10', 'DB1.DBW1.0', 'M20.7', 'I4', 'DB2.DBW40.20'],
  opcua: ['2!Boiler.Temperature', '2!1001', '3[0]!Levels'],
  qna3e: ['D100', 'X1F', 'D20.3', 'D100.20'],
  ads: ['MAIN.speed', 'MAIN.motors[2]'],
  fins: ['D100', 'CIO10.05', 'EM10W200', 'D100.20'],
  bacnet: ['AI3', 'AV7.Units', 'AV7.Object_Name', 'AO1@8', 'MSV2.State_Text[1]'],
  dlt645: ['00-01-00-00', '210220003011#02-01-01-00', '02-01-FF-00#2'],
  iec104: ['4001'],
  nona11: ['1!3!0', '3!4', '2!3!8.20'],
};

/**
 * Examples of a plugin's addresses, none where none are known; where it is known how addresses of a type are written, those of
 * that type alone.
 */
export const addressExamples = (schema: string, pattern?: RegExp): readonly string[] =>
  (examples[schema] ?? []).filter((address) => pattern?.test(address) ?? true);
