import { Modal } from '@mantine/core'
import LeaveQuestion from './leave-question.tsx'
import { useFocusBack } from './passed-focus.ts'

/** Asks over a page before what was typed in it goes. */
export default function LeavePage({ onAnswer }: { onAnswer: (goes: boolean) => void }) {
  useFocusBack(true)
  return (
    <Modal size={460} title="Leave this page?" opened onClose={() => onAnswer(false)}>
      <LeaveQuestion onAnswer={onAnswer} />
    </Modal>
  )
}
