/** Composes the tests of rungs, which go to devices and channels alike. */
import type { ChannelTestsService } from '../channels/channel-tests.service.ts';
import { toTestOut } from '../channels/problem-text.ts';
import type { TestPushService } from '../devices/test-push.service.ts';
import type { Routes } from '../http/app.ts';
import { rungTestRoutes } from '../ladders/rung-test.routes.ts';

export const composeRungTests = (testPush: TestPushService, channels: ChannelTestsService): Routes =>
  rungTestRoutes({
    toDevices: (caller, stage) => testPush.send(caller, stage),
    toChannels: async (caller, stage) => {
      const tested = await channels.testStage(caller, stage);
      return tested.map(({ id, provider, result }) => ({ channel_id: id, provider, ...toTestOut(result) }));
    },
  });
