"""The script of each character: unicode_script.

The Unicode Standard, version 13.0, Annex 24, "Unicode Script Property".
"""

import base64
import functools
import zlib
from typing import Any

import numpy as np

from tapefacade._core import dtypes
from tapefacade._core.tensor import EagerTensor, from_host
from tapefacade._definition.op import function
from tapefacade._strings.arguments import tensor_of

UNKNOWN = 103
# The numbers that ICU gives the scripts.
NUMBERS = """
    Common=0 Inherited=1 Arabic=2 Armenian=3 Bengali=4 Bopomofo=5 Cherokee=6 Coptic=7 Cyrillic=8
    Deseret=9 Devanagari=10 Ethiopic=11 Georgian=12 Gothic=13 Greek=14 Gujarati=15 Gurmukhi=16
    Han=17 Hangul=18 Hebrew=19 Hiragana=20 Kannada=21 Katakana=22 Khmer=23 Lao=24 Latin=25
    Malayalam=26 Mongolian=27 Myanmar=28 Ogham=29 Old_Italic=30 Oriya=31 Runic=32 Sinhala=33
    Syriac=34 Tamil=35 Telugu=36 Thaana=37 Thai=38 Tibetan=39 Canadian_Aboriginal=40 Yi=41
    Tagalog=42 Hanunoo=43 Buhid=44 Tagbanwa=45 Braille=46 Cypriot=47 Limbu=48 Linear_B=49
    Osmanya=50 Shavian=51 Tai_Le=52 Ugaritic=53 Buginese=55 Glagolitic=56 Kharoshthi=57
    Syloti_Nagri=58 New_Tai_Lue=59 Tifinagh=60 Old_Persian=61 Balinese=62 Batak=63 Brahmi=65
    Cham=66 Egyptian_Hieroglyphs=71 Pahawh_Hmong=75 Old_Hungarian=76 Javanese=78 Kayah_Li=79
    Lepcha=82 Linear_A=83 Mandaic=84 Meroitic_Hieroglyphs=86 Nko=87 Old_Turkic=88 Old_Permic=89
    Phags_Pa=90 Phoenician=91 Miao=92 Vai=99 Cuneiform=101 Carian=104 Tai_Tham=106 Lycian=107
    Lydian=108 Ol_Chiki=109 Rejang=110 Saurashtra=111 SignWriting=112 Sundanese=113
    Meetei_Mayek=115 Imperial_Aramaic=116 Avestan=117 Chakma=118 Kaithi=120 Manichaean=121
    Inscriptional_Pahlavi=122 Psalter_Pahlavi=123 Inscriptional_Parthian=125 Samaritan=126
    Tai_Viet=127 Bamum=130 Lisu=131 Old_South_Arabian=133 Bassa_Vah=134 Duployan=135 Elbasan=136
    Grantha=137 Mende_Kikakui=140 Meroitic_Cursive=141 Old_North_Arabian=142 Nabataean=143
    Palmyrene=144 Khudawadi=145 Warang_Citi=146 Mro=149 Nushu=150 Sharada=151 Sora_Sompeng=152
    Takri=153 Tangut=154 Anatolian_Hieroglyphs=156 Khojki=157 Tirhuta=158 Caucasian_Albanian=159
    Mahajani=160 Ahom=161 Hatran=162 Modi=163 Multani=164 Pau_Cin_Hau=165 Siddham=166 Adlam=167
    Bhaiksuki=168 Marchen=169 Newa=170 Osage=171 Masaram_Gondi=175 Soyombo=176
    Zanabazar_Square=177 Dogra=178 Gunjala_Gondi=179 Makasar=180 Medefaidrin=181
    Hanifi_Rohingya=182 Sogdian=183 Old_Sogdian=184 Elymaic=185 Nyiakeng_Puachue_Hmong=186
    Nandinagari=187 Wancho=188 Chorasmian=189 Dives_Akuru=190 Khitan_Small_Script=191 Yezidi=192
"""
SCRIPT_NAMES = {name: int(number) for name, number in (item.split("=") for item in NUMBERS.split())}
# How many characters follow one another in a script, and its number; as varints, compressed.
SCRIPT_RUNS = (
    "c-nndTWp-g6`nIQ|8;l&y?DL$?%Lk<CAQ<lv7M_O2XdhVP$CBiO$bCNQVCxhD1;Ia5CK-W7}Nj>6}PB_OVW_gs)16HCe"
    "V;pt$3&^^`S+rRPoT)N)-=P+lN-_H@_FRLRBBWbIzQZGjlHUpZPbcTGc1UlvMMCr#h;l8pO{`bx3(sXs@jHi%mqCM8k1"
    "OEF|SlCr(D0Sf3<8A$d|lEoUSY3>uB)gfW6OZ6WGy7Jgd>o)+a32_c&H<V_;h8L4TJyD0bRq))J}kJf$TdikOR(>p2eT"
    "=u9&{!u~KO&W5OAk()B?cAfJGsx4fTi*~{$;VpNVrvDV)zCzRazKbRupCD%y|p2Ama@R(xJsCUz%Ni&pdICa&<o(X<X&"
    "su6b#1!EOm|-3o%Sy5D|`7h=9<9m)D3}dP7<Ad06snK1kP?2K{Z&FQP&@AT;4|9JTbO5fFAkUuwkA{q(orz>r&VHx@#t"
    "veO%6`z^eMH9WiDCla*xd&mv&Y@&lG3>bv1u^kAYQ`w_T-#Ly3a_!U*9Yjoc?ewmtv+cAXB$ahKuiJCT)i_VAXmP)0QK"
    ")Iu+_;z3>ow>kj|l122soBr-j;OCtn~VbsW-h@tR3X-Q(c3LpgTEBctmGQ?&#F%*vUTSn6RBqTstHf7_t~jxgbvjLssd"
    "bMR-HH2D3EDdW6Q3tSFnE)urn)j3PsC$fYGOZt>p#F_$NwYROj-&5S`U<70=f;S;moaCf)CmZnjeW`NuXT^PxreTh~P%"
    "1g7zjWQjC9?jym4m#iAr_gn+q%JC|Gv#$3yXpa!)IDq-j?owwWXEj^8E2u#dsZ?9D>GO+ZBd){k(uT-m~M7-t>G0~vwo"
    "kTd!I&TANM8_%0*d^tyfx%UTLu5-j(Y^*!7b)8srIc<M=nDkmoToCL7)x!icCG5r|bHK4BEUTIFG|>Ln6RkXj;Fm2h)a"
    "lC{DT$*itc*gt$?u*Jhx@Av`@>Q<5Gi6mVkXd`z$CL*#tW~bse&qk$F%9e#()u5>g=#@MM*^}rDTbfksL{TlS8fEdar>"
    "Zn)#~Xo~)yw|My3<DR4K+3?aA;N!1RjFmzc0e%I^O1W31nSICQ2*)|IiG#t5MX7f?dTdK9ypP4)dc^Qe>MeR#jBAqD!H"
    "&Mdl4V%B+THWy+#%sgPGZEb#=lmG}{=rZ=FnC{!98ZBUKU4Qi|+>gLL6QI}T~H>iJ|kfOn}(PD!&izAFbE<ey;D`QW1^"
    "C1b*r|w|btC*yyI)Y4fbge<Gd`#XFV)H#AviJCC#>=+RuWbW&XCQZXmkefR7`lpQ*j#2BU2NH#A|#u53kkca*>%-po$w"
    "y(xG#p!%RP_(q-6=;jEL2?Rn4fc_m|yA%lmws+*!(^qhv8rdSVm)qKg{)ih~HMS$M`nt&Nw15JI;Qw|z?&@n@|y%ep~p"
    "tk%Ow$P414NJNMI%wQW~U545I=Y-P?hgF?_&@w7!!bX|c21D~pdI5&xfGYzPvpDR&6M`DiMra~Gp^;4V;oyV^cXvjWL8"
    "P|v{^cl1GDeNaA$~=78ccjW50N^T4fI4XJ@p)`xXVM&Du%Rb;0lZ6iV<8Njj!lg&U`HQG4Oq{^JMsGmTKke!u-E3M+E2"
    "f_6U{jF~aSyuz8I!pfSNxLXYv_bX+;WPvJoGh%}z3arC^5qwOtzU-~Wa;JqbXw{qpJwYzwM@7jRoj?QO!Q2ANWSVn1z3"
    "#UAU<c8>;Vm78M;wkoZqWPpWpOYqr9%4IrD8lOdnW_6LkMK)<r0rqaJzP4-m+oK|!NKcs-OX#TVrz~F;BOs1M}OjTa!R"
    "AYdW>AAQ|2<y)t6-k!$0Bd$a&d;uAfR79Tz0R%tnizjZELhO%E~!5AyAOMFPaHh>ukd@J)Ci#LydDxaVc=RqoB8^csbw"
    "ugOLPCn<>|){(p;nUge}KFU1AM=9B7s0*KQ9yn5Q!@v>ki06n%v@mZRk!NT~;<=UD5#v^VTd?~bXY`Kr;M(IZ(BpDSu="
    "*4i4W5!dTz!I7j8D)yS8v1At1gaLWi{$=az*}4)}ZjFT;~7GkK}f2e?hX47bLjkj&vlv<ot4^rzP=PUSjC+CE1MdLsvd"
    "WG9OAE*S<#ww!bUgnEIZ~@e@BylTk;K(-NcmG@WjqaUq{^x-)Veg0pT{N0y%DtSk(pvo4sk^xJ>m=^R<KAW_FS-j{PM&"
    "5z|g6ZSZJ?DGB`{~V45d+)$KdzqBI8T>-_e$<Y$;Wgaxnok<|#C}&UT!jnv5I1PN$gScRnFIZz>_N{{bj^Q?o^IX}Bi_"
    "QQ5baw$v~79U!>u34UToQIF}0gNQ@b}nj)}a)J}DnF#k!c_A7jVp^sIkOJ~bc92%=;1_p2e5<GMTnQ!c_*LL4?P$rB~q"
    "ImcS&<`{D{=VD=-fSu#J^~XW{jlB*-Yyej(BSjVRj6iynm1)(1&B-y|Ikw=Pe449jPViN>jB5z3T%*w`cYQpoByBvdrE"
    "E+)66@I-cco)-ZvfZKx1HZQ!;_9ISBJg*d3gJIf%pF=M!;vNIH^;v32*XuEbK)(pIoHh@kN)yi}Ja~+K(8Pd?d3mekq4"
    "JS2!$-vGr{(h#k>y%TXU+QCo3^`Z-<T2U#a{`me3s|2AShub=<_=B?MZCC|frY5kY+#hlwCXzlgIes1rg_R>APR9?yT&"
    "uJ`WpS+z(%`<xUbUQ3!6@Dmc5;Y}dt#aw2Nb%)W34Fye{60`&+It-i(0mtXv#Ojvualf}kHRo{Pg<54Jj88pRPIsW;)F"
    "_%hKBzqL0Zfp<%UNEYB9d!inm5B;x12x`0UrZ*oP0A#SA_ZK2?WCdE?$&TYS9}$8GUX8T@Lnc<v8NSj`^nQL}>2MUMP4"
    "gMR~``AHH"
)


@function("strings.unicode_script", dispatch=True, elementwise=1, on_values=True)
def unicode_script(input: Any, name: str | None = None) -> EagerTensor:
    """Tells in which script each character is used.

    Args:
        input: code points, an int32 tensor of any shape.
        name: ignored.

    Returns:
        An int32 tensor of the numbers that ICU gives the scripts; -1 for what is no code point.

    >>> tf.strings.unicode_script([0x61, 0x431, 0x6F22]).numpy()
    array([25, 8, 17], dtype=int32)
    """
    codes = tensor_of(input, "UnicodeScript", 0, dtypes.int32)._numpy_array()
    starts, scripts = _runs()
    found = scripts[np.searchsorted(starts, codes, side="right") - 1]
    outside = (codes < 0) | (codes > 0x10FFFF)
    return from_host(np.where(outside, -1, found).astype(np.int32))


@functools.cache
def _runs() -> tuple[Any, Any]:
    """Returns where the runs of characters of one script start, and their scripts."""
    numbers, number, shift = [], 0, 0
    for byte in zlib.decompress(base64.b85decode("".join(SCRIPT_RUNS))):
        number |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            numbers.append(number)
            number = shift = 0
    lengths, scripts = np.array(numbers).reshape(-1, 2).T
    return np.cumsum(lengths) - lengths, scripts
