import { createPlayer } from '../scenarios/scenario-player.ts'
import type { LiveTestJob, PlayedTest } from './play-live-test.ts'

export type PlayLiveTest = (job: LiveTestJob) => Promise<PlayedTest>

export const createLiveTestPlayer = (): PlayLiveTest =>
  createPlayer<LiveTestJob, PlayedTest>(new URL('./live-test-thread.ts', import.meta.url), '/given')
