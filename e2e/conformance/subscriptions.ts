import { answers, from, n128, type ConformanceTable } from './rows.ts';

/** The group `line` of the driver `plant`, for the app `north`, unless the members say otherwise. */
const route = from({ app: 'north', driver: 'plant', group: 'line' });
const routes = from({ app: 'north', groups: [{ driver: 'plant', group: 'line' }] });

export const subscriptions: ConformanceTable = {
  'POST /subscribe': [
    answers('200 OK', {
      'all is well': route({ group: 'free', params: { topic: 'a' } }),
      'all is well, without params': route({ app: 'bare' }),
    }),
    answers('404 NODE_NOT_FOUND', {
      'the app does not exist': route({ app: 'absent' }),
      'the driver does not exist': route({ driver: 'absent' }),
    }),
    answers('400 NODE_NOT_SUBSCRIBABLE', { 'the app is a driver': route({ app: 'idle' }) }),
    answers('404 GROUP_NOT_FOUND', { 'the group does not exist': route({ group: 'absent' }) }),
    answers('200 GROUP_SUBSCRIBED', { 'the app subscribes already': route() }),
    answers('400 GROUP_PARAM_INVALID, family 200 MQTT_TOPIC_EMPTY', {
      'the topic is empty': route({ group: 'second', params: { topic: '' } }),
      'there are params and no topic': route({ group: 'second', params: {} }),
    }),
    answers('400 NODE_NAME_TOO_LONG', { 'the app name has 128 bytes': route({ app: n128 }) }),
    answers('400 GROUP_NAME_TOO_LONG', { 'the group name has 128 bytes': route({ group: n128 }) }),
  ],

  'POST /subscribes': [
    answers('200 OK', { 'all is well': { app: 'bare', groups: [{ driver: 'plant', group: 'free' }] } }),
    answers('404 NODE_NOT_FOUND', { 'the app does not exist': routes({ app: 'absent' }) }),
    answers('200 OK', { 'there are no groups': routes({ groups: [] }) }),
    answers('404 GROUP_NOT_FOUND', {
      'a group does not exist': routes({ groups: [{ driver: 'plant', group: 'absent' }] }),
    }),
    answers('200 GROUP_SUBSCRIBED', { 'a group is subscribed already': routes() }),
    answers('400 BODY_INVALID', { 'an entry names no group': routes({ groups: [{ driver: 'plant' }] }) }),
  ],

  'PUT /subscribe': [
    answers('200 OK', { 'all is well': route({ group: 'free', params: { topic: 'b' } }) }),
    answers('404 GROUP_NOT_FOUND, family 404 GROUP_NOT_SUBSCRIBED', {
      'the app does not subscribe': route({ group: 'second', params: { topic: 'a' } }),
      'the group does not exist': route({ group: 'absent', params: { topic: 'a' } }),
    }),
    answers('400 GROUP_PARAM_INVALID, family 200 MQTT_TOPIC_EMPTY', {
      'the topic is empty': route({ params: { topic: '' } }),
    }),
  ],

  'DELETE /subscribe': [
    answers('200 OK', { 'all is well': route({ group: 'free' }) }),
    answers('404 GROUP_NOT_FOUND, family 404 GROUP_NOT_SUBSCRIBED', {
      'it is ended already': route({ group: 'free' }),
      'the app does not subscribe': route({ group: 'second' }),
      'the group does not exist': route({ group: 'absent' }),
    }),
  ],

  'GET /subscribes': [
    answers('200 OK', {
      'all is well': { app: 'north' },
      'a part of a name': { app: 'bare', name: 'lin' },
    }),
    answers('400 PARAM_INVALID', { 'no app is named': {} }),
    answers('404 NODE_NOT_FOUND', { 'the app does not exist': { app: 'absent' } }),
    answers('400 NODE_NOT_SUBSCRIBABLE', { 'the node is a driver': { app: 'plant' } }),
  ],

  'GET /subscribe': [
    answers('200 OK', { 'all is well': { app: 'north' } }),
    answers('400 PARAM_INVALID', {
      'no app is named': {},
      'the app name is empty': { app: '' },
    }),
    answers('200 OK', { 'the app does not exist: an empty list': { app: 'absent' } }),
  ],
};
