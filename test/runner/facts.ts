/** The file descriptor on which a test file's process tells its run what its tests do, a line of JSON each. */
export const FACTS_FD = 3

/** A test, or a suite of tests, as it ended. */
export type TestResult = {
  name: string
  /** How many tests it lies in. */
  nesting: number
  /** Where it is written: `path:line`, from the root of the project. */
  place: string
  isSuite: boolean
  outcome: 'pass' | 'fail' | 'cancelled' | 'skipped' | 'todo'
  /** Of a failure what was thrown, of a skipped test why. */
  text: string
  /** It failed only because a test in it did. */
  byInner: boolean
  ms: number
}

/** A fact that is told; facts of one test have its `id` in common. */
export type Fact =
  | { is: 'known' | 'begun' | 'done'; id: string; title: string }
  | { is: 'result'; result: TestResult }
  /** What a test has to say besides, such as its seed; and what Node.js has to say of the file. */
  | { is: 'remark'; text: string }
  /** All tests known have ended; these resources keep the process. */
  | { is: 'held'; by: string[] }
  /** All that there is to tell of tests has been told. */
  | { is: 'over' }
  /** The process ends, having used so much of a processor; and those that it has started and waited for, so much (Linux). */
  | { is: 'spent'; cpuMs: number; startedCpuMs: number }
