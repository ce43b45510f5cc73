"""The parts that Emberboard's circuits are made of: pins, footprints and manufacturers' part numbers.

Pin numbers follow the makers' datasheets, named at each part. Nothing is taken from a KiCad library, so that the
circuits build anywhere; footprints are those of KiCad's standard libraries, by name.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

POWER_IN, POWER_OUT = "PWRIN", "PWROUT"
IN, OUT, BOTH, TRISTATE, OPEN_DRAIN = "INPUT", "OUTPUT", "BIDIR", "TRISTATE", "OPENCOLL"
PASSIVE, UNCONNECTED = "PASSIVE", "NOCONNECT"

Pin = tuple[str, str, str]
"""Number, name, electrical type."""


@dataclass(frozen=True)
class Kind:
    """A part that can be bought: its references' prefix, and which of its pins are supplies that want a capacitor."""

    name: str
    prefix: str
    manufacturer: str
    mpn: str
    footprint: str
    pins: tuple[Pin, ...]
    decoupled: tuple[str, ...] = ()


def _two(one: str = "1", two: str = "2") -> tuple[Pin, ...]:
    return ("1", one, PASSIVE), ("2", two, PASSIVE)


def _row(count: int, names: str = "") -> tuple[Pin, ...]:
    words = names.split() or [str(n) for n in range(1, count + 1)]
    return tuple((str(n), word, PASSIVE) for n, word in enumerate(words, 1))


def _typed(text: str) -> tuple[Pin, ...]:
    """Pins from `number:name:type` words, the type by its letter."""
    types = {"i": IN, "o": OUT, "b": BOTH, "p": POWER_IN, "P": POWER_OUT, "t": TRISTATE, "d": OPEN_DRAIN,
             "-": PASSIVE, "n": UNCONNECTED}  # fmt: skip
    pins = []
    for word in text.split():
        number, name, letter = word.split(":")
        pins.append((number, name, types[letter]))
    return tuple(pins)


# Resistors and capacitors: the value chooses the part number.

_RESISTOR = Kind("R", "R", "Yageo", "", "Resistor_SMD:R_0603_1608Metric", _two())
_CAPACITOR = Kind("C", "C", "", "", "Capacitor_SMD:C_0603_1608Metric", _two())

RESISTORS = {
    value: replace(_RESISTOR, mpn=f"RC0603FR-07{code}L")
    for value, code in {
        "27R": "27R", "330R": "330R", "390R": "390R", "1k": "1K", "4k7": "4K7", "5k1": "5K1", "10k": "10K",
        "100k": "100K",
    }.items()
}  # fmt: skip
# Termination takes a driven bus all the time: 1206, 0.25 W.
RESISTORS["120R"] = replace(_RESISTOR, mpn="RC1206FR-07120RL", footprint="Resistor_SMD:R_1206_3216Metric")

CAPACITORS = {
    "15p": replace(_CAPACITOR, manufacturer="Yageo", mpn="CC0603JRNPO9BN150"),
    "100n": replace(_CAPACITOR, manufacturer="Yageo", mpn="CC0603KRX7R9BB104"),
    "1u": replace(_CAPACITOR, manufacturer="Samsung", mpn="CL10A105KB8NNNC"),
    "10u": replace(
        _CAPACITOR, manufacturer="Samsung", mpn="CL21A106KAYNNNE", footprint="Capacitor_SMD:C_0805_2012Metric"
    ),
    "470u": Kind("C_POLARISED", "C", "Panasonic", "EEE-FK1A471P", "Capacitor_SMD:CP_Elec_8x10", _two("+", "-")),
    "1000u": Kind(
        "C_POLARISED", "C", "Panasonic", "EEU-FR1A102", "Capacitor_THT:CP_Radial_D8.0mm_P3.50mm", _two("+", "-")
    ),
}
PULL_UPS = Kind(
    "R_ARRAY_4", "RN", "Yageo", "YC164-JR-0710KL", "Resistor_SMD:R_Array_Convex_4x0603", _row(8)
)  # four resistors: 1-8, 2-7, 3-6, 4-5

# Controller. RP2040 datasheet, "Pinout reference"; flash and crystal as in "Hardware design with RP2040".

_GPIO_PINS = [*range(2, 10), *range(11, 19), *range(27, 33), *range(34, 42)]
RP2040 = Kind(
    "RP2040", "U", "Raspberry Pi", "SC0914(7)", "Package_DFN_QFN:QFN-56-1EP_7x7mm_P0.4mm_EP3.2x3.2mm",
    tuple((str(pin), f"GPIO{n}", BOTH) for n, pin in enumerate(_GPIO_PINS))
    + tuple((str(pin), f"IOVDD{n}", POWER_IN) for n, pin in enumerate((1, 10, 22, 33, 42, 49), 1))
    + _typed(
        "19:TESTEN:i 20:XIN:i 21:XOUT:o 23:DVDD1:p 24:SWCLK:i 25:SWD:b 26:RUN:i 43:ADC_AVDD:p 44:VREG_VIN:p "
        "45:VREG_VOUT:P 46:USB_DM:b 47:USB_DP:b 48:USB_VDD:p 50:DVDD2:p 51:QSPI_SD3:b 52:QSPI_SCLK:o 53:QSPI_SD0:b "
        "54:QSPI_SD2:b 55:QSPI_SD1:b 56:QSPI_SS:o 57:GND:p"
    ),
    decoupled=(
        *(f"IOVDD{n}" for n in range(1, 7)), "DVDD1", "DVDD2", "ADC_AVDD", "VREG_VIN", "VREG_VOUT", "USB_VDD",
    ),
)  # fmt: skip
FLASH = Kind(
    "W25Q16JV", "U", "Winbond", "W25Q16JVSSIQ", "Package_SO:SOIC-8_5.23x5.23mm_P1.27mm",
    _typed("1:CS:i 2:IO1:b 3:IO2:b 4:GND:p 5:IO0:b 6:CLK:i 7:IO3:b 8:VCC:p"), decoupled=("VCC",),
)  # fmt: skip
CRYSTAL = Kind(
    "Crystal_12MHz", "Y", "Abracon", "ABM8-272-T3", "Crystal:Crystal_SMD_Abracon_ABM8G-4Pin_3.2x2.5mm",
    _typed("1:X1:- 2:GND1:- 3:X2:- 4:GND2:-"),
)  # fmt: skip
REGULATOR = Kind(  # Diodes AP2112: 600 mA, dropout 250 mV at 600 mA
    "AP2112K-3.3", "U", "Diodes", "AP2112K-3.3TRG1", "Package_TO_SOT_SMD:SOT-23-5",
    _typed("1:VIN:p 2:GND:p 3:EN:i 4:NC:n 5:VOUT:P"), decoupled=("VIN", "VOUT"),
)  # fmt: skip

# Lights and sensors.

WS2812B = Kind(  # Worldsemi WS2812B-V5: 12 mA a colour; data is high from 0.7 VDD = 3.5 V, hence the shifter
    "WS2812B", "D", "Worldsemi", "WS2812B-V5", "LED_SMD:LED_WS2812B_PLCC4_5.0x5.0mm_P3.2mm",
    _typed("1:VDD:p 2:DOUT:o 3:VSS:p 4:DIN:i"), decoupled=("VDD",),
)  # fmt: skip
HALL = Kind(
    # TI DRV5033 (SLIS152): omnipolar, so a magnet works either way up; it measures all the time, where the micropower
    # DRV5032 looks 20 times a second, which alone is twice the 25 ms from touch to host. +-6.9 mT on, +-3.5 mT off.
    "DRV5033AJ", "U", "Texas Instruments", "DRV5033AJQDBZR", "Package_TO_SOT_SMD:SOT-23",
    _typed("1:VCC:p 2:OUT:d 3:GND:p"), decoupled=("VCC",),
)  # fmt: skip
SHIFT_IN = Kind(  # TI SN74HC165 (SCLS116): parallel in, serial out, H first
    "74HC165", "U", "Texas Instruments", "SN74HC165PWR", "Package_SO:TSSOP-16_4.4x5mm_P0.65mm",
    _typed("1:SH_LD:i 2:CLK:i 3:E:i 4:F:i 5:G:i 6:H:i 7:QHN:o 8:GND:p 9:QH:o 10:SER:i 11:A:i 12:B:i 13:C:i 14:D:i "
           "15:CLK_INH:i 16:VCC:p"), decoupled=("VCC",),
)  # fmt: skip
SHIFT_OUT = Kind(  # TI SN74HC595 (SCLS041): serial in, parallel out; 70 mA through VCC at most
    "74HC595", "U", "Texas Instruments", "SN74HC595PWR", "Package_SO:TSSOP-16_4.4x5mm_P0.65mm",
    _typed("1:QB:t 2:QC:t 3:QD:t 4:QE:t 5:QF:t 6:QG:t 7:QH:t 8:GND:p 9:QHS:o 10:SRCLR:i 11:SRCLK:i 12:RCLK:i 13:OE:i "
           "14:SER:i 15:QA:t 16:VCC:p"), decoupled=("VCC",),
)  # fmt: skip
LEVEL_SHIFTER = Kind(  # TI SN74AHCT1G125 (SCLS378): TTL thresholds at 5 V, so 3.3 V is a clean high
    "74AHCT1G125", "U", "Texas Instruments", "SN74AHCT1G125DBVR", "Package_TO_SOT_SMD:SOT-23-5",
    _typed("1:OE:i 2:A:i 3:GND:p 4:Y:t 5:VCC:p"), decoupled=("VCC",),
)  # fmt: skip
LED_GREEN = Kind("LED_green", "D", "Würth", "150060GS75000", "LED_SMD:LED_0603_1608Metric", _two("K", "A"))

# Bus, protection, power.

TRANSCEIVER = Kind(
    # TI THVD1426 (SLLSF87): 12 Mbit/s, 3.3 V, direction by itself: a low at D drives; a high at D drives for
    # t(device-auto-dir), then the bias holds the line and the receiver listens. RE and SHDN both high for that mode.
    "THVD1426", "U", "Texas Instruments", "THVD1426DR", "Package_SO:SOIC-8_3.9x4.9mm_P1.27mm",
    _typed("1:R:t 2:RE:i 3:SHDN:i 4:D:i 5:GND:p 6:A:b 7:B:b 8:VCC:p"), decoupled=("VCC",),
)  # fmt: skip
BUS_TVS = Kind(  # Littelfuse SM712: 12 V / -7 V for RS-485
    "SM712", "D", "Littelfuse", "SM712-02HTG", "Package_TO_SOT_SMD:SOT-23", _typed("1:IO1:- 2:IO2:- 3:GND:-")
)
SUPPLY_TVS = Kind("SMAJ5.0A", "D", "Littelfuse", "SMAJ5.0A", "Diode_SMD:D_SMA", _two("K", "A"))
USB_TVS = Kind(
    "USBLC6-2", "D", "STMicroelectronics", "USBLC6-2SC6", "Package_TO_SOT_SMD:SOT-23-6",
    _typed("1:IO1:- 2:GND:- 3:IO2:- 4:IO2B:- 5:VBUS:- 6:IO1B:-"),
)  # fmt: skip
FUSE_BOARD = Kind(  # Bourns MF-MSMF: 1.5 A hold at 23 C
    "Polyfuse_1A5", "F", "Bourns", "MF-MSMF150/24X-2", "Fuse:Fuse_1812_4532Metric", _two()
)
FUSE_USB = Kind("Polyfuse_0A5", "F", "Bourns", "MF-MSMF050-2", "Fuse:Fuse_1812_4532Metric", _two())
REVERSE_FET = Kind(  # AOS AO3401A: P channel, 30 V, 60 mOhm at -4.5 V; drain to the plug, source to the board
    "AO3401A", "Q", "Alpha & Omega", "AO3401A", "Package_TO_SOT_SMD:SOT-23", _typed("1:G:- 2:S:- 3:D:-")
)
SCHOTTKY = Kind("SS14", "D", "onsemi", "SS14", "Diode_SMD:D_SMA", _two("K", "A"))
SIGNAL_DIODE = Kind("1N4148W", "D", "Diodes", "1N4148W-7-F", "Diode_SMD:D_SOD-123", _two("K", "A"))

# Connectors and switches.

POWER_PLUG = Kind(  # JST VH: 10 A a contact with AWG16
    "VH_2", "J", "JST", "B2P-VH(LF)(SN)", "Connector_JST:JST_VH_B2P-VH_1x02_P3.96mm_Vertical", _row(2, "+5V GND")
)
BUS_PLUG = Kind(
    "XH_3", "J", "JST", "B3B-XH-A(LF)(SN)", "Connector_JST:JST_XH_B3B-XH-A_1x03_P2.50mm_Vertical", _row(3, "A B GND")
)
HOST_BUS_PLUG = Kind(
    "XH_4", "J", "JST", "B4B-XH-A(LF)(SN)", "Connector_JST:JST_XH_B4B-XH-A_1x04_P2.50mm_Vertical",
    _row(4, "DI RO 3V3 GND"),
)  # fmt: skip
HOST_RAIL_PLUG = Kind(
    "XH_2", "J", "JST", "B2B-XH-A(LF)(SN)", "Connector_JST:JST_XH_B2B-XH-A_1x02_P2.50mm_Vertical", _row(2, "IN GND")
)
SEAT_PLUG = Kind(
    "XH_6", "J", "JST", "B6B-XH-A(LF)(SN)", "Connector_JST:JST_XH_B6B-XH-A_1x06_P2.50mm_Vertical",
    _row(6, "ROW COL_YES COL_NO LIGHT_YES LIGHT_NO GND"),
)  # fmt: skip
RAIL_PLUG = Kind(
    "VH_3", "J", "JST", "B3P-VH(LF)(SN)", "Connector_JST:JST_VH_B3P-VH_1x03_P3.96mm_Vertical", _row(3, "DIN +5V GND")
)
SWD_HEADER = Kind(
    "Header_1x03", "J", "Würth", "61300311121", "Connector_PinHeader_2.54mm:PinHeader_1x03_P2.54mm_Vertical",
    _row(3, "SWCLK GND SWD"),
)  # fmt: skip
JUMPER = Kind(
    "Header_1x02", "J", "Würth", "61300211121", "Connector_PinHeader_2.54mm:PinHeader_1x02_P2.54mm_Vertical", _row(2)
)
STATION_HEADER = Kind(  # as the ribbon in wiring/ has it; 17 to 20 are more ground
    "Box_2x10", "J", "Würth", "61202021621", "Connector_IDC:IDC-Header_2x10_P2.54mm_Vertical",
    _row(20, "COL1 COL2 COL3 COL4 ROW1 ROW2 ROW3 ROW4 ROW5 ROW6 ROW7 DATA CLOCK LATCH 3V3 GND G17 G18 G19 G20"),
)  # fmt: skip
USB_C = Kind(  # GCT USB4085, USB 2.0
    "USB_C", "J", "GCT", "USB4085-GF-A", "Connector_USB:USB_C_Receptacle_GCT_USB4085",
    _typed(
        "A1:GND1:- A4:VBUS1:- A5:CC1:- A6:DP1:- A7:DM1:- A8:SBU1:- A9:VBUS2:- A12:GND2:- B1:GND3:- B4:VBUS3:- "
        "B5:CC2:- B6:DP2:- B7:DM2:- B8:SBU2:- B9:VBUS4:- B12:GND4:- S1:SHIELD:-"
    ),
)  # fmt: skip
BUTTON = Kind("Button_6mm", "SW", "Omron", "B3F-1000", "Button_Switch_THT:SW_PUSH_6mm", _row(2))
KEY = Kind("Button_12mm", "SW", "Omron", "B3F-4055", "Button_Switch_THT:SW_PUSH-12mm", _row(2))
LIGHT_YES = Kind("LED_5mm_green", "D", "Kingbright", "WP7113LGD", "LED_THT:LED_D5.0mm", _two("K", "A"))
LIGHT_NO = Kind("LED_5mm_red", "D", "Kingbright", "WP7113LID", "LED_THT:LED_D5.0mm", _two("K", "A"))
DIP_4 = Kind(  # CTS 219: 1-8, 2-7, 3-6, 4-5
    "DIP_4", "SW", "CTS", "219-4MST", "Button_Switch_SMD:SW_DIP_SPSTx04_Slide_9.78x12.34mm_W8.61mm_P2.54mm", _row(8)
)
