// The editor of what is chosen as a page of its own, on a phone.
import { Modal } from "../parts/dialogs/Modal.tsx"
import { useWords } from "../words/Words.tsx"
import { useEditing } from "./draft/editing.tsx"
import { Panel } from "./Panel.tsx"

export const PhonePanel = () => {
  const shell = useWords("shell")
  const { choose, flow } = useEditing()
  return (
    <Modal
      opened
      fullScreen
      title={flow.name}
      onClose={() => choose(null)}
      closeButtonProps={{ "aria-label": shell.close }}
    >
      <Panel />
    </Modal>
  )
}
