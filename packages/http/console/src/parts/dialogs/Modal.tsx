// A dialog that gives the focus back to what opened it. Screens draw it only while it is open: that of Mantine would not notice its end.
import { Modal as Dialog, type ModalProps } from "@mantine/core"
import { useEffect, useState } from "react"

/** The focused element. The entry of a menu goes away with its menu: the button of the menu stays. */
const openerOf = (): Element | null => {
  const menu = document.activeElement?.closest("[role=menu]")?.getAttribute("aria-labelledby")
  return menu === null || menu === undefined ? document.activeElement : document.getElementById(menu)
}

export const Modal = (props: ModalProps) => {
  const [opener] = useState(openerOf)
  useEffect(
    () => () => {
      // Another screen, or a field that has the focus by now, keeps it.
      requestAnimationFrame(() => {
        if (document.activeElement === document.body && opener instanceof HTMLElement) opener.focus()
      })
    },
    [opener],
  )
  return <Dialog {...props} />
}
