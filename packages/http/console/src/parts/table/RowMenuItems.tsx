// The items of a row's menu. Only `RowMenu.tsx` imports this module, on demand.
import { Menu } from "@mantine/core"
import { useOpening } from "../OnDemand.tsx"
import { type RowMenuProps, RowMenuTarget } from "./RowMenu.tsx"

export const RowMenuItems = ({ items, of }: RowMenuProps) => {
  const { isOpen, setOpen, target } = useOpening()
  return (
    <Menu opened={isOpen} onChange={setOpen} position="bottom-end">
      <Menu.Target>
        <RowMenuTarget of={of} ref={target} />
      </Menu.Target>
      <Menu.Dropdown>
        {items.map(({ icon, label, onClick }) => (
          <Menu.Item key={label} leftSection={icon} onClick={onClick}>
            {label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}
