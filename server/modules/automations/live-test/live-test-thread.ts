import { answerJobs } from '../scenarios/played.ts'
import { playLiveTest } from './play-live-test.ts'

answerJobs(playLiveTest)
