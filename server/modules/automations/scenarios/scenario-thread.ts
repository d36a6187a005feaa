import { playScenarios } from './play-scenarios.ts'
import { answerJobs } from './played.ts'

answerJobs(playScenarios)
