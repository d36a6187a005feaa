import { Dialog } from '../../ui/dialog.tsx'
import { MessageExplanation } from './message-explanation.tsx'

export default function MessageDialog({ messageId, onClose }: { messageId: string; onClose: () => void }) {
  return (
    <Dialog wide title={`Message ${messageId}`} opened onClose={onClose}>
      <MessageExplanation messageId={messageId} />
    </Dialog>
  )
}
